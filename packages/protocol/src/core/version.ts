/** Version of the wire protocol, in `hello`; another major number is refused. */
export const PROTOCOL_VERSION = "1";
/** WebSocket subprotocol (RFC 6455 §1.9). */
export const SUBPROTOCOL = "tenfold.v1";
/** Path of the agents' WebSocket on a relay. */
export const AGENT_PATH = "/_tenfold/agent";
