// Removes what an earlier build left, so that a deleted source never lives on as a compiled file.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
