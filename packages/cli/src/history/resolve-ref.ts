import { CliError } from "../errors.ts";
import { visible } from "../output/visible-text.ts";
import type { HistoryReader } from "./history-reader.ts";
import type { DeliveryRecord } from "./history-store.ts";

/** Candidates that an ambiguous reference lists: as many as fit a small terminal. */
const MAX_CANDIDATES = 10;
/** Nine digits are more deliveries than a history holds, and a safe number. */
const LAST = /^last(?:~(?<back>\d{1,9}))?$/u;
const ID_PREFIX = /^(?:dlv_)?(?<rest>[0-9a-z]{4,})$/u;

/**
 * Finds the delivery that a person means: `last`, `last~N`, an id, the provider's event id, or a unique prefix of an id of at
 * least four characters, with or without `dlv_`. `last` counts the received deliveries of the tunnels started in `folder`,
 * or all received ones where there are none.
 *
 * @throws CliError `no-such-delivery`, `ambiguous-ref`
 */
export function resolveRef(reader: HistoryReader, ref: string, folder: string): DeliveryRecord {
  const last = LAST.exec(ref);
  const id = last
    ? resolveLast(reader, Number(last.groups?.["back"] ?? 0), folder)
    : resolveName(reader, ref);
  const delivery = id === undefined ? undefined : reader.get(id);
  if (delivery === undefined) {
    throw noSuchDelivery(ref, reader.isEmpty());
  }
  return delivery;
}

function resolveLast(reader: HistoryReader, back: number, folder: string): string | undefined {
  const isUsedHere = reader.receivedId(0, folder) !== undefined;
  return reader.receivedId(back, isUsedHere ? folder : undefined);
}

function resolveName(reader: HistoryReader, ref: string): string | undefined {
  const rest = ID_PREFIX.exec(ref.toLowerCase())?.groups?.["rest"];
  const ids = rest === undefined ? [] : reader.idsByPrefix(`dlv_${rest}`, MAX_CANDIDATES + 1);
  if (rest !== undefined && ids.includes(`dlv_${rest}`)) {
    return `dlv_${rest}`;
  }
  const byKey = reader.idByKey(ref);
  if (byKey === undefined && ids.length > 1) {
    throw ambiguousRef(reader, ref, ids);
  }
  return byKey ?? ids[0];
}

function noSuchDelivery(ref: string, isEmpty: boolean): CliError {
  if (isEmpty) {
    const message = LAST.test(ref)
      ? "The history is empty: no delivery was captured yet."
      : `No delivery matches "${visible(ref)}": the history is empty.`;
    return new CliError("no-such-delivery", message, {
      hint: "Start a tunnel with `tunnel 3000`, send a webhook to its URL, then try again.",
    });
  }
  return new CliError("no-such-delivery", `No delivery matches "${visible(ref)}".`, {
    hint: "`tunnel list` shows the deliveries. Use an id, its beginning (4 characters or more), the provider's event id, or last.",
  });
}

function ambiguousRef(reader: HistoryReader, ref: string, ids: readonly string[]): CliError {
  const count = ids.length > MAX_CANDIDATES ? `more than ${MAX_CANDIDATES}` : String(ids.length);
  return new CliError("ambiguous-ref", `"${visible(ref)}" is the beginning of ${count} ids.`, {
    hint: "Give more characters of the id.",
    details: ids
      .slice(0, MAX_CANDIDATES)
      .map((id) => reader.get(id))
      .filter((delivery) => delivery !== undefined)
      .map(candidateLine),
  });
}

function candidateLine({ id, receivedAt, method, path }: DeliveryRecord): string {
  return `${id}  ${new Date(receivedAt).toISOString()}  ${visible(method)} ${visible(path)}`;
}
