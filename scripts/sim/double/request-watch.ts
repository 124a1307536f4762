/**
 * Finds the requests among the bytes of a connection. It uses the parser of the service, so that both see the same requests. The service
 * refuses what the parser cannot read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

export interface RequestWatch {
  /** Reads on. */
  push(bytes: Buffer): void;
  stop(): void;
}

/**
 * @param options.onRequest a head is complete. Its response is written to `answer`: whoever has none to give ends it unheard
 * @param options.onBytes called for all that is pushed, in its order, after the requests in it. `isWithinHead`: no request is known yet
 * that they belong to
 * @param options.answer where the bytes of responses go, and how they end
 */
export function watchRequests(options: {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onBytes(bytes: Buffer, isWithinHead: boolean): void;
  answer: { write(bytes: Buffer): void; end(): void };
}): RequestWatch {
  const { onBytes, answer } = options;
  /** The bytes that were pushed and not read yet. */
  const unread: Buffer[] = [];
  let last: IncomingMessage | null = null;
  let isLost = false;
  let isStopped = false;

  const stream = streamOf(answer);
  const found = (request: IncomingMessage, response: ServerResponse) => {
    last = request;
    // Bodies are not looked at.
    request.resume();
    options.onRequest(request, response);
  };
  const pass = (isWithinHead: boolean) => {
    const bytes = unread.shift();
    if (bytes !== undefined && !isStopped) onBytes(bytes, isWithinHead);
  };

  parse(stream, { found, lost: () => (isLost = true) });
  let isWithinBody = false;
  let before: IncomingMessage | null = null;
  // Called after the parser has read the same bytes.
  stream.on('data', () => {
    const isKnown = isLost || isWithinBody || last !== before;
    before = last;
    isWithinBody = last?.complete === false;
    pass(!isKnown);
  });
  stream.on('close', () => {
    isLost = true;
    while (unread.length > 0) pass(false);
  });
  stream.on('error', () => {});

  return {
    push(bytes) {
      unread.push(bytes);
      if (stream.destroyed) pass(false);
      else stream.push(bytes);
    },
    stop() {
      isStopped = true;
      stream.destroy();
    },
  };
}

/** Makes the stream that the parser uses as a connection: it is given bytes by `push`, and its answers go elsewhere. */
function streamOf(answer: { write(bytes: Buffer): void; end(): void }): Duplex {
  return new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      answer.write(bytes);
      done();
    },
    final(done) {
      answer.end();
      done();
    },
  });
}

/** @param hear.lost what follows cannot be read */
function parse(
  stream: Duplex,
  hear: { found(request: IncomingMessage, response: ServerResponse): void; lost(): void },
): void {
  const parser = createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, hear.found);
  parser.on('checkExpectation', hear.found);
  const giveUp = (_cause: unknown, socket: Duplex) => {
    hear.lost();
    socket.destroy();
  };
  parser.on('clientError', giveUp);
  // The bytes after a CONNECT are no HTTP.
  parser.on('connect', giveUp);
  parser.emit('connection', stream);
}
