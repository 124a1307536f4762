// Puts the viewer of /docs beside the cloud's page for it, compressed: one file of Scalar, built for browsers. Its npm package for
// Fastify is the small one that holds the file, and gives it to whoever registers the plugin: here a recorder of routes.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';

const TARGET = 'dist/cloud/rest/document/reference-viewer.js.gz';

function viewerScript() {
  const routes = [];
  const fastify = {
    hasPlugin: () => false,
    initialConfig: { ignoreTrailingSlash: true },
    log: { warn: (text) => process.stderr.write(`${text}\n`) },
    route: (route) => routes.push(route),
  };
  scalar(fastify, { configuration: { url: '/openapi.json' } }, () => {});
  let script = '';
  const reply = {
    header: () => reply,
    send(body) {
      script = body;
      return reply;
    },
  };
  routes.find(({ url }) => url.endsWith('.js'))?.handler({}, reply);
  if (script.length < 1_000_000) throw new Error('@scalar/fastify-api-reference did not give its browser build');
  return script;
}

writeFileSync(TARGET, gzipSync(viewerScript(), { level: 9 }));
