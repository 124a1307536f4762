/** RAUC's two descriptions: of the slots, for the card, and of a bundle, for its makers. Pure. */
import type { CardArch } from './card-layout.js';

/** Returns the text on which a bundle and a card must agree: a bundle for another machine is refused. */
export const compatibleOf = (arch: CardArch): string => `parking-gateway-${arch}`;

/**
 * @returns /etc/rauc/system.conf. The application belongs to the system beside it: both change together or not at all. A slot that has the
 * wanted bytes already is not written, so that a bundle with a new application alone writes that alone.
 */
export function raucSystemConfig(arch: CardArch, leastVersion: string): string {
  const slots = (['a', 'b'] as const).flatMap((slot, number) => [
    `[slot.system.${number}]`,
    `device=/dev/disk/by-partlabel/root-${slot}`,
    'type=ext4',
    `bootname=${slot.toUpperCase()}`,
    'install-same=false',
    '',
    `[slot.app.${number}]`,
    `device=/dev/disk/by-partlabel/app-${slot}`,
    'type=ext4',
    `parent=system.${number}`,
    'install-same=false',
    '',
  ]);
  return [
    '[system]',
    `compatible=${compatibleOf(arch)}`,
    'bootloader=uboot',
    'bundle-formats=verity',
    'data-directory=/data/rauc',
    // The gateway chooses when the other slot starts; a power cut after an installation starts the one that ran.
    'activate-installed=false',
    'mountprefix=/run/rauc/mnt',
    // The security floor: an older version is never installed again.
    `min-bundle-version=${leastVersion}`,
    '',
    '[keyring]',
    'path=/etc/rauc/keyring.pem',
    '',
    ...slots,
  ].join('\n');
}

/** @returns manifest.raucm of a bundle with both images. Adaptive: blocks that the card has already are not fetched. */
export function bundleManifest(bundle: {
  readonly arch: CardArch;
  readonly version: string;
  readonly builtAt: Date;
}): string {
  return [
    '[update]',
    `compatible=${compatibleOf(bundle.arch)}`,
    `version=${bundle.version}`,
    `build=${bundle.builtAt.toISOString()}`,
    '',
    '[bundle]',
    'format=verity',
    '',
    '[image.system]',
    'filename=system.ext4',
    'adaptive=block-hash-index',
    '',
    '[image.app]',
    'filename=app.ext4',
    'adaptive=block-hash-index',
    '',
  ].join('\n');
}
