/**
 * The descriptions that scripts/image/build needs, on standard output: `node dist/scripts/image/main.js
 * genimage|system-config|manifest|sbom|imager ...`. The arguments of each are described at its function.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VERSION } from '../../shared/version.js';
import { type CardArch, fixedUuid, genimageConfig } from './card-layout.js';
import { imagerRepository } from './imager-entry.js';
import { billOfMaterials, debianParts, npmParts } from './sbom.js';
import { bundleManifest, raucSystemConfig } from './update-bundle.js';

const builtAt = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1_000);
const archOf = (text: string | undefined): CardArch => {
  if (text !== 'arm64' && text !== 'amd64') throw new Error(`the architecture is "${text}": it must be arm64 or amd64`);
  return text;
};
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Every package.json of a package below `folder`, which is a node_modules. */
function manifestsIn(folder: string): { name: string; version: string; license?: unknown }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(folder, path), 'utf8')))
    .filter(({ name, version }) => name !== undefined && version !== undefined);
}

/** sbom ARCH DPKG_STATUS NODE_MODULES NODE_VERSION */
function sbom(arch: string, status: string, nodeModules: string, nodeVersion: string): string {
  const node = { name: 'node', version: nodeVersion, purl: `pkg:generic/node@${nodeVersion}`, licence: 'MIT' };
  const own = { name: 'parking-gateway', version: VERSION, purl: `pkg:generic/parking-gateway@${VERSION}` };
  const parts = [...debianParts(readFileSync(status, 'utf8')), ...npmParts(manifestsIn(nodeModules)), node, own];
  return json(billOfMaterials({ version: VERSION, arch, builtAt }, parts));
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** imager IMAGE COMPRESSED URL */
async function imager(image: string, compressed: string, url: string): Promise<string> {
  return json(
    imagerRepository({
      version: VERSION,
      url,
      releaseDate: builtAt.toISOString().slice(0, 10),
      imageBytes: statSync(image).size,
      imageSha256: await sha256(image),
      downloadBytes: statSync(compressed).size,
      downloadSha256: await sha256(compressed),
    }),
  );
}

const COMMANDS: Record<string, (...args: string[]) => string | Promise<string>> = {
  uuid: (name = '') => fixedUuid(name),
  genimage: (arch) => genimageConfig(archOf(arch)),
  'system-config': (arch, leastVersion = '0.0.0') => raucSystemConfig(archOf(arch), leastVersion),
  manifest: (arch, version = VERSION) => bundleManifest({ arch: archOf(arch), version, builtAt }),
  sbom: (arch = '', status = '', nodeModules = '', nodeVersion = '') => sbom(arch, status, nodeModules, nodeVersion),
  imager: (image = '', compressed = '', url = '') => imager(image, compressed, url),
};

const [name = '', ...args] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) {
  process.stderr.write(`"${name}" is none of: ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(await command(...args));
