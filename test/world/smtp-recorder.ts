/** The other end of an SMTP dialogue that says yes to everything, and keeps each byte as it came: what a client says is not interpreted. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The lines of a client on one connection. */
export interface SmtpDialogue {
  /** Lines outside of messages, in their order. */
  readonly commands: readonly string[];
  /** Messages as they travelled: with the dot that is added to a line that begins with one, without the one that ends them. */
  readonly messages: readonly Buffer[];
}

export interface SmtpRecorder {
  readonly port: number;
  /** The connections since the last `clear`, in their order. */
  readonly dialogues: readonly SmtpDialogue[];
  /** Resolves when no connection is open: a client says QUIT after it has handed over its mail. */
  ended(): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

export async function startSmtpRecorder(): Promise<SmtpRecorder> {
  const dialogues: SmtpDialogue[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    dialogues.push(record(socket));
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    dialogues,
    ended: () => new Promise((resolve) => (sockets.size === 0 ? resolve() : waiting.push(resolve))),
    clear: () => void (dialogues.length = 0),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function record(socket: Socket): SmtpDialogue {
  const dialogue = { commands: [] as string[], messages: [] as Buffer[] };
  let rest = '';
  let message = '';
  let isMessage = false;
  socket.write('220 ready\r\n');
  // Each byte is one character, whatever it stands for.
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    // As servers do that are not strict: each end of a line ends a command, and a dot between any two of them a message.
    const lines = `${rest}${chunk}`.split(/(?<=\r\n|\r(?!\n|$)|(?<!\r)\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    for (const whole of lines) {
      const line = whole.replace(/[\r\n]+$/, '');
      if (isMessage && line !== '.') message += whole;
      else if (isMessage) {
        dialogue.messages.push(Buffer.from(message, 'latin1'));
        [message, isMessage] = ['', false];
        socket.write('250 stored\r\n');
      } else {
        dialogue.commands.push(Buffer.from(line, 'latin1').toString('utf8'));
        isMessage = line.toUpperCase() === 'DATA';
        socket.write(answerTo(line));
      }
    }
  });
  return dialogue;
}

function answerTo(command: string): string {
  if (command.startsWith('EHLO')) return '250-recorder\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n';
  if (command.toUpperCase() === 'DATA') return '354 go on\r\n';
  return command === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n';
}
