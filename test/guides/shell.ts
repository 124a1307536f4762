/** One shell for the snippets of one guide: what an earlier one sets, the later ones have. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

export interface Shell {
  /** Runs commands. @returns what they printed. Rejects when one fails, with all that was printed */
  run(commands: string): Promise<string>;
  close(): Promise<void>;
}

/** @param environment beside PATH and HOME; every variable that is set later is exported, too */
export function openShell(directory: string, environment: Readonly<Record<string, string>>): Shell {
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: directory, env: { PATH, HOME, ...environment } });
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  let printed = '';
  let onPrinted = () => {};
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      onPrinted();
    });
  }
  shell.stdin.write('set -a -o pipefail\n');
  return {
    async run(commands) {
      const end = `end of ${randomUUID()}`;
      printed = '';
      const status = new Promise<string>((resolve, reject) => {
        onPrinted = () => {
          const [, code] = new RegExp(`${end} (\\d+)\n`).exec(printed) ?? [];
          if (code !== undefined) resolve(code);
        };
        void ended.then(() => reject(new Error(`the shell ended:\n${printed}`)));
      });
      shell.stdin.write(`${commands}\nSTATUS=$?; echo; echo "${end} $STATUS"\n`);
      const code = await status;
      const output = printed.slice(0, printed.indexOf(`\n${end}`));
      if (code !== '0') throw new Error(`ended with ${code}:\n${commands}\n${output}`);
      return output;
    },
    async close() {
      // The programs that a snippet has left running belong to the shell.
      shell.stdin.end('kill $(jobs -p) 2> /dev/null; exit\n');
      await ended;
    },
  };
}
