/**
 * The arm64 card from power-on to the command for the barrier, in QEMU, which has no Bluetooth. `npm run test:image`; the card is what scripts/image/build left in
 * .data/image/arm64, or in the folder that CARD_IMAGES names. CARD_FOLDER keeps what was written, the serial line above all.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SITE } from '../world/site.js';
import {
  bootFiles,
  CARD_IMAGE,
  type CardMachine,
  copyCard,
  dropClaimFile,
  makeSshKey,
  missingForImage,
  powerOn,
  waitSlowly,
} from './card-machine.js';
import { type CardWorld, createCardWorld } from './card-world.js';

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`;
const missing = missingForImage();

describe.skipIf(missing !== null)(`a card, from power-on to the command for the barrier ${missing ?? ''}`, () => {
  let world: CardWorld;
  let card: CardMachine;
  let file: string;
  const note = (text: string): void => void process.stdout.write(`card: ${text}\n`);

  beforeAll(async () => {
    world = await createCardWorld();
    const key = makeSshKey(world.folder);
    file = join(world.folder, 'card.img');
    copyCard(CARD_IMAGE, file);
    dropClaimFile(file, { cloud_url: world.cloudUrlOfCard, claim_code: TEST_SITE.claimCode, ssh_key: key.line });
    const { httpPort, sshPort, folder } = world;
    card = powerOn({ card: file, logFile: join(folder, 'serial.log'), httpPort, sshPort, sshKey: key.file });
  });

  afterAll(async () => {
    await card?.cut();
    await world?.close();
  });

  const gateway = async () =>
    (await world.api<{ data: { status: string; uuid: string }[] }>('GET', '/v2/gateways')).data.find(
      ({ uuid }) => uuid === TEST_SITE.gatewayUuid,
    );

  it('starts slot A by itself and joins its cloud with the claim file', async () => {
    note(`U-Boot chose a slot after ${seconds(await card.says('parking: slot a'))}`);
    note(`the kernel ran its first program after ${seconds(await card.says('Run /init'))}`);
    await waitSlowly('the card to be online', async () => (await gateway())?.status === 'online');
    note(`online after ${seconds(card.sincePowerOnMs())}`);
  });

  it('has erased the claim file, has names and keys of its own, and grew to the end of the card', async () => {
    await card.isUp();
    const [machineId, keys, size, mounts] = [
      await card.ssh('cat /etc/machine-id'),
      await card.ssh('ls /etc/ssh'),
      await card.ssh('df --output=size -BM /data | tail -1'),
      await card.ssh(
        'findmnt -no OPTIONS / && findmnt -no OPTIONS /opt/parking-gateway && findmnt -no OPTIONS /boot/firmware',
      ),
    ];
    expect(machineId).toMatch(/^[0-9a-f]{32}\n$/);
    expect(keys).toContain('ssh_host_ed25519_key.pub');
    expect(Number.parseInt(size, 10)).toBeGreaterThan(1_000);
    expect(
      mounts
        .trim()
        .split('\n')
        .map((options) => options.split(',')[0]),
    ).toEqual(['ro', 'ro', 'ro']);
    expect(await card.ssh('ls /boot/firmware')).not.toContain('claim.json');
    expect(await card.ssh("awk -F: '$2 !~ /^[!*]/' /etc/shadow")).toBe('');
    const memory = await card.ssh('systemctl show -P MemoryCurrent parking-agent; ps -eo rss=,args= | grep bin/node');
    note(`memory of the gateway (bytes, then KB of each process):\n${memory}`);
  });

  it('reads a plate and commands the barrier; without an adapter it says that the barrier did not', async () => {
    await waitSlowly('the camera to be taken', async () => {
      const body = { plate: TEST_SITE.memberPlate };
      const { status } = await world.sim<{ status: number }>('POST', `/cameras/${TEST_SITE.entryCamera}/read`, body);
      return status === 200;
    });
    const journal = () => card.ssh('journalctl -u parking-agent -o cat');
    const failed = 'opening of an admitted vehicle failed';
    await waitSlowly('the outcome of the command', async () => (await journal()).includes(failed));
    const lines = (await journal())
      .split('\n')
      .filter((line) => /plate read|"command":"open"|of an admitted/.test(line));
    note(lines.join('\n'));
    expect(lines[0]).toContain('"access_decision":"triggered"');
    expect(lines.filter((line) => line.includes(`"device_id":"${TEST_SITE.barrier}"`)).length).toBeGreaterThan(1);
  });

  it('is found by its name, by mDNS alone, and keeps its journal for what is of use', async () => {
    expect(await card.ssh('hostname')).toMatch(/^parking-[0-9a-f]{6}\n$/);
    expect(await card.ssh('resolvectl mdns; resolvectl llmnr')).toMatch(
      /^Global: yes\nLink 2 \(.*\): yes\nGlobal: no\nLink 2 \(.*\): no\n$/,
    );
    expect(await card.ssh("journalctl -b -o cat | grep -E 'audit\\(|audit: type|locale' || true")).toBe('');
  });

  it('keeps all of it over a power cut', async () => {
    const { httpPort, sshPort, folder } = world;
    const stick = join(folder, 'stick.img');
    execFileSync('mkfs.vfat', ['-C', stick, String(8 * 1024)]);
    execFileSync('mcopy', ['-i', stick, '-', '::update.raucb'], { input: 'no bundle' });
    const before = await card.ssh('cat /etc/machine-id /etc/ssh/ssh_host_ed25519_key.pub');
    await card.cut();
    expect(bootFiles(file)).not.toContain('claim.json');
    card = powerOn({
      card: file,
      logFile: join(folder, 'serial.log'),
      httpPort,
      sshPort,
      sshKey: join(folder, 'ssh-key'),
      stick,
      hasWatchdog: true,
    });
    await card.says('parking: slot a');
    await card.isUp();
    note(`SSH after ${seconds(card.sincePowerOnMs())} on the second start`);
    expect(await card.ssh('cat /etc/machine-id /etc/ssh/ssh_host_ed25519_key.pub')).toBe(before);
    await waitSlowly('the card to be online', async () => (await gateway())?.status === 'online');
  });

  it('finds the update on a stick, which it mounts to be read only', async () => {
    const status = 'AGENT_DATA_DIR=/var/lib/parking-agent parking-agent status';
    await waitSlowly('the stick in the status', async () => /on a stick .*update\.raucb/.test(await card.ssh(status)));
    expect(await card.ssh('findmnt -rno FSTYPE,OPTIONS /run/media/sda')).toMatch(/^vfat ro,nosuid,nodev,noexec,/);
  });

  it('gives its slot the tries back, and lets its watch rest', async () => {
    await waitSlowly('the slot to be good', async () => (await card.ssh('fw_printenv -n BOOT_A_LEFT')) === '3\n');
    const isOver = async () => (await card.ssh('systemctl is-active parking-trial.timer || true')) === 'inactive\n';
    await waitSlowly('the watch to rest', isOver);
    expect(await card.ssh('fw_printenv -n BOOT_ORDER')).toBe('A\n');
  });

  it('starts anew when nothing runs any more', async () => {
    // Since Linux 6.12 real-time programs leave a twentieth to the others, unless each processor's server of these has nothing to give.
    const starves = [
      'mount -t debugfs none /sys/kernel/debug 2>/dev/null',
      'echo -1 >/proc/sys/kernel/sched_rt_runtime_us',
      'for cpu in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 >$cpu; done',
      'for i in 1 2; do chrt -f 99 sh -c "while :; do :; done" & done',
    ].join('; ');
    card.ssh(starves).catch(() => undefined);
    note(`the watchdog bit after ${seconds(await card.says('parking: slot a', 2))}`);
    await card.isUp();
  });
});
