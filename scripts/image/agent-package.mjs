// The agent's own package.json: the packages that its bundles leave outside, at the versions of the project. Usage: agent-package.mjs package.json
import { readFileSync } from 'node:fs';
import { OUTSIDE } from '../agent-packages.mjs';

const { name, version, license, type, dependencies } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const isOutside = (wanted) => OUTSIDE.some((outside) => wanted === outside || wanted.startsWith(`${outside}/`));
const needed = Object.fromEntries(Object.entries(dependencies).filter(([wanted]) => isOutside(wanted)));
const bin = { 'parking-agent': 'dist/agent/main.js' };
process.stdout.write(
  `${JSON.stringify({ name, version, private: true, license, type, bin, dependencies: needed }, null, 2)}\n`,
);
