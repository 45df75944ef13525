import { resolve } from "node:path";
import { CliError } from "../errors.ts";
import { visible } from "../output/visible-text.ts";
import type { Probe, ProbeSpec } from "./probe.ts";

const SUPPORTED = "Supported: sqlite:FILE, for example --probe sqlite:app.db.";
/** RFC 3986 §3.1. More than one letter, so that `C:\app.db` is a file. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/iu;

/**
 * Reads `sqlite:FILE`, the file relative to `cwd`.
 *
 * @throws CliError `bad-probe`; its text repeats nothing after the scheme, where a password may stand
 */
export function parseProbeSpec(text: string, cwd: string): ProbeSpec {
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme === undefined) {
    throw badProbe(`The probe "${visible(text)}" does not say what kind of database it is.`);
  }
  if (scheme.toLowerCase() !== "sqlite") {
    throw badProbe(`Probes of the kind "${scheme}:" are not supported.`);
  }
  const file = text.slice(scheme.length + 1);
  if (file === "" || file.includes("\0")) {
    throw badProbe(`The probe "${visible(text)}" names no file.`);
  }
  return { kind: "sqlite", name: text, path: resolve(cwd, file) };
}

/** Opens the probe; its database driver is loaded only now. @throws CliError `probe-failed` */
export async function openProbe(spec: ProbeSpec): Promise<Probe> {
  const { openSqliteProbe } = await import("./sqlite-probe.ts");
  return openSqliteProbe(spec);
}

function badProbe(message: string): CliError {
  return new CliError("bad-probe", message, { hint: SUPPORTED });
}
