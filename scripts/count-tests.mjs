// Adds up vitest's JSON reports and prints `N passed, N failed[, N skipped]`. Exit 1 when a test failed, when a report has none
// that ran, when a file could not be collected, or when a report is missing.
//
//   node scripts/count-tests.mjs REPORT …
import { readFileSync } from "node:fs";
import process from "node:process";

const total = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const { passed, failed, skipped } = countReport(path);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}
const skippedText = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skippedText}`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);

function countReport(path) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    console.log(`no test report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  // A file that fails before its first test has no failed test of its own, but it failed all the same.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  for (const file of brokenFiles) console.log(`broken file: ${file.name}: ${file.message}`);
  const failed = report.numFailedTests + brokenFiles.length;
  const passed = report.numPassedTests;
  const isUnsound = failed === 0 && (passed === 0 || !report.success);
  if (isUnsound) console.log(`${path}: no test ran, or vitest itself failed`);
  return { passed, failed: isUnsound ? 1 : failed, skipped: report.numPendingTests + report.numTodoTests };
}
