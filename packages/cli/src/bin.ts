#!/usr/bin/env node
import process from "node:process";
import { main } from "./main.ts";

const { stdout, stderr, env } = process;
process.exitCode = await main({
  argv: process.argv.slice(2),
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  signals: process,
});
