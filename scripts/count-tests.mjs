// Prints `N passed, N failed[, N skipped]` from vitest's JSON report. Exit 1 when a test failed, when none ran, when a file
// could not be collected, or when there is no report.
import { readFileSync } from "node:fs";
import process from "node:process";

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2], "utf8"));
} catch (error) {
  console.log(`no test report: ${error.message}`);
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const passed = report.numPassedTests;
// A file that fails before its first test has no failed test of its own, but it failed all the same.
const brokenFiles = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
);
for (const file of brokenFiles) console.log(`broken file: ${file.name}: ${file.message}`);
const failed = report.numFailedTests + brokenFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 && passed > 0 && report.success ? 0 : 1);
