/** The software on a card, as a CycloneDX bill of materials (1.6). Pure. */
import { fixedUuid } from './card-layout.js';

/** One program or library on the card. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** Package URL, which vulnerability scanners look up. */
  readonly purl: string;
  readonly licence?: string;
}

/** @param status dpkg's status file */
export function debianParts(status: string): Part[] {
  return status.split('\n\n').flatMap((paragraph) => {
    const field = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(paragraph)?.[1];
    const [name, version, arch] = [field('Package'), field('Version'), field('Architecture')];
    if (name === undefined || version === undefined || field('Status') !== 'install ok installed') return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-13`;
    return [{ name, version, purl }];
  });
}

/** @param manifests the package.json of each package under node_modules */
export function npmParts(manifests: readonly { name: string; version: string; license?: unknown }[]): Part[] {
  return manifests.map(({ name, version, license }) => ({
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(typeof license === 'string' ? { licence: license } : {}),
  }));
}

/** @param builtAt time of the build's sources: two builds say the same */
export function billOfMaterials(
  card: { readonly version: string; readonly arch: string; readonly builtAt: Date },
  parts: readonly Part[],
) {
  const components = parts
    .map(({ name, version, purl, licence }) => ({
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      // An expression such as "MIT OR Apache-2.0" has a place of its own.
      ...(licence === undefined
        ? {}
        : { licenses: [/[ ()]/.test(licence) ? { expression: licence } : { license: { name: licence } }] }),
    }))
    .sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const unique = components.filter(({ purl }, at) => purl !== components[at - 1]?.purl);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${fixedUuid(`sbom ${JSON.stringify(unique)}`)}`,
    version: 1,
    metadata: {
      timestamp: card.builtAt.toISOString(),
      component: { type: 'operating-system', name: `parking-gateway-card-${card.arch}`, version: card.version },
    },
    components: unique,
  };
}
