// Webhook handlers that are wrong, or right, in ways that are hard to see from outside. The key is the `Idempotency-Key` header.
//
//   node sly-handler.mjs <kind> <database>
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { Database } from "../../examples/sqlite.mjs";

const [kind, file] = process.argv.slice(2);
const db = new Database(kind === "rewrites-file" ? ":memory:" : file);
db.exec(`
  CREATE TABLE charges (event TEXT, amount INTEGER);
  CREATE TABLE keys (event TEXT PRIMARY KEY);
  CREATE TABLE invoices (id TEXT PRIMARY KEY, state TEXT);
  CREATE TABLE ticks (id INTEGER PRIMARY KEY, at INTEGER);
  INSERT INTO ticks VALUES (1, 0);
`);
if (kind === "indexes-again") db.exec("CREATE VIRTUAL TABLE search USING fts5 (words)");
if (kind === "rewrites-file") writeFileSync(file, db.serialize());
if (kind === "right-with-clock") setInterval(() => db.exec("UPDATE ticks SET at = at + 1"), 1_000);

const charge = (event) => db.prepare("INSERT INTO charges VALUES (?, 1)").run(event);
const isNew = (event) =>
  db.prepare("INSERT INTO keys VALUES (?) ON CONFLICT DO NOTHING").run(event).changes === 1;
const later = (ms, work) => setTimeout(() => work(), ms);

const handlers = {
  "writes-late": (event) => later(1_200, () => charge(event)),
  "writes-late-aside": (event) => {
    if (isNew(event)) charge(event);
    later(2_000, () => db.exec("INSERT INTO charges VALUES ('an e-mail', 0)"));
  },
  "indexes-again": (event) => {
    if (isNew(event)) charge(event);
    db.exec("INSERT INTO search VALUES ('paid')");
  },
  "rewrites-file": (event) => {
    charge(event);
    writeFileSync(file, db.serialize());
  },
  "does-nothing": () => {},
  naive: charge,
  "right-by-upsert": (event) => db.prepare("INSERT OR REPLACE INTO invoices VALUES (?, 'paid')").run(event),
  "right-in-steps": (event) => {
    if (!isNew(event)) return;
    for (const step of [1, 2, 3]) later(step * 700, () => charge(event));
  },
  "right-with-clock": (event) => {
    if (isNew(event)) charge(event);
  },
};

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    handlers[kind](request.headers["idempotency-key"]);
    response.end("ok");
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
