/** The reference of the plate benchmark, in its own process: a bare HTTP look-up of a plate among the known ones. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './harness.js';
import { KNOWN_PLATES, knownPlate } from './plates.js';

const plates = new Map(Array.from({ length: KNOWN_PLATES }, (_, index) => [knownPlate(index), index]));
const server = createServer((request, response) => {
  const plate = (request.url ?? '').slice('/plates/'.length);
  const found = plates.get(plate);
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ plate, found: found !== undefined }));
});
server.listen(0, '127.0.0.1', () => serveParent({ port: (server.address() as AddressInfo).port }));
