/** The layout of a card, and genimage's description of it. Pure. */
import { createHash } from 'node:crypto';

/** Kinds of machine that a card is made for, by Debian's names. */
export type CardArch = 'arm64' | 'amd64';

interface Partition {
  /** Its name in the partition table: boot script, initramfs and RAUC find it by that. */
  readonly name: string;
  readonly sizeMiB: number;
  /** GPT type, which tells other programs what it is. */
  readonly type: string;
  /** File of the build that fills it; left out: the partition is empty on a new card. */
  readonly image?: string;
  /** Type in the old table beside the new one: the ROM of a Raspberry Pi 3 reads that alone. */
  readonly mbrType?: string;
}

const TYPES = {
  esp: 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b',
  ubootEnvironment: '3de21764-95bd-54bd-a5c3-4abe786f38a8',
  rootArm64: 'b921b045-1df0-41c3-af44-4c6f280d3fae',
  rootAmd64: '4f68bce3-e8cd-4db1-96e7-fbcaf984b709',
  app: 'b4b1f6c2-7e4a-5a36-9d30-6b5a6f0c9b11',
  linux: '0fc63daf-8483-4772-8e79-3d69d8477de4',
};
/** Where the boot partition begins: genimage puts the first one behind the table, aligned. */
export const BOOT_OFFSET_BYTES = 1024 * 1024;
/** Sizes of the slots. A system that outgrows its slot needs new cards: there is room for twice what it has. */
const SYSTEM_MIB = 1024;
const APP_MIB = 256;

/** In the order of the card. Data comes last, because it grows; boot.cmd loads kernels from partitions 3 and 5. */
export const cardPartitions = (arch: CardArch): readonly Partition[] => {
  const system = arch === 'arm64' ? TYPES.rootArm64 : TYPES.rootAmd64;
  return [
    { name: 'boot', sizeMiB: 64, type: TYPES.esp, image: 'boot.vfat', mbrType: '0xC' },
    { name: 'uboot-env', sizeMiB: 1, type: TYPES.ubootEnvironment, image: 'uboot-env.bin' },
    { name: 'root-a', sizeMiB: SYSTEM_MIB, type: system, image: 'system.ext4' },
    { name: 'app-a', sizeMiB: APP_MIB, type: TYPES.app, image: 'app.ext4' },
    { name: 'root-b', sizeMiB: SYSTEM_MIB, type: system },
    { name: 'app-b', sizeMiB: APP_MIB, type: TYPES.app },
    { name: 'data', sizeMiB: 128, type: TYPES.linux, image: 'data.ext4' },
  ];
};

/** A UUID that is the same in every build: cards of one image differ in nothing. */
export function fixedUuid(name: string): string {
  const hex = createHash('sha256').update(`parking-gateway card ${name}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** @returns genimage's configuration, which makes `card.img` of the files that the build has made */
export function genimageConfig(arch: CardArch): string {
  const partitions = cardPartitions(arch).map(({ name, sizeMiB, type, image, mbrType }) =>
    [
      `  partition ${name} {`,
      ...(image === undefined ? [] : [`    image = "${image}"`]),
      `    size = ${sizeMiB}M`,
      `    partition-type-uuid = "${type}"`,
      `    partition-uuid = "${fixedUuid(name)}"`,
      ...(mbrType === undefined ? [] : [`    partition-type = ${mbrType}`]),
      '  }',
    ].join('\n'),
  );
  return `image card.img {
  hdimage {
    partition-table-type = "hybrid"
    disk-uuid = "${fixedUuid('disk')}"
    disk-signature = 0x50474331
    align = 1M
  }
${partitions.join('\n')}
}
`;
}
