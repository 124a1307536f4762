import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Lint {
  diagnostics: { message: string; filename: string; labels: { span: { line: number } }[] }[];
  number_of_files: number;
}

describe('functions', () => {
  it('are no longer than 70 lines, of which blank lines and comments count', () => {
    const folders = ['agent', 'cloud', 'shared', 'scripts'];
    const args = ['-c', 'test/architecture/long-functions.json', '--format', 'json', ...folders];
    const lint = JSON.parse(
      execFileSync(`${ROOT}node_modules/.bin/oxlint`, args, { cwd: ROOT, encoding: 'utf8' }),
    ) as Lint;
    expect(lint.number_of_files).toBeGreaterThan(500);
    const long = lint.diagnostics.map(
      ({ message, filename, labels }) => `${filename}:${labels[0]?.span.line} ${message.replace(/\. Maximum.*/, '')}`,
    );
    expect(long).toEqual([]);
  });
});
