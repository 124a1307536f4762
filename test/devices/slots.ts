/**
 * A device with two slots behind the port of updates: what RAUC, U-Boot and the restart do to it, without the hour that an emulated one takes.
 * A start takes a try from the chosen slot; a slot without tries is passed over.
 */
import { BundleRefused, type BundleInfo, type UpdateInstaller } from '../../agent/update/update-installer.js';

const TRIES = 3;

type SlotName = 'A' | 'B';
/** The hash is left out where it is that of the version. */
type BundleSaid = Omit<BundleInfo, 'manifest_hash'> & { manifest_hash?: string | null };

export class Slots implements UpdateInstaller {
  private readonly content: Record<SlotName, string | null> = { A: '1.0.0', B: null };
  private readonly tries: Record<SlotName, number> = { A: TRIES, B: 0 };
  private order: [SlotName, SlotName] = ['A', 'B'];
  running: SlotName = 'A';
  private manifest: string | null = null;
  /** What the files at these paths are; a path that is missing here is no bundle. */
  readonly bundles = new Map<string, BundleSaid>();
  /** Releases that do not start. */
  readonly broken = new Set<string>();
  /** What was asked of it, in order. */
  readonly asked: string[] = [];
  /** Why the next installations fail. */
  readonly failures: Error[] = [];
  wantsRestart = false;
  /** What moves, as it was said last. */
  moving: string | null = null;
  streams = false;

  constructor(private readonly infoOf?: (path: string) => BundleSaid | undefined) {}

  get version(): string | null {
    return this.content[this.running];
  }

  async look() {
    return {
      machine: 'parking-gateway-arm64',
      slot: this.running,
      version: this.version,
      other: { version: this.content[this.other], is_bad: this.tries[this.other] === 0 },
    };
  }

  async check(path: string): Promise<BundleInfo> {
    const info = this.infoOf?.(path) ?? this.bundles.get(path);
    if (info === undefined) throw new BundleRefused('signature verification failed');
    return { manifest_hash: `manifest of ${info.version}`, ...info };
  }

  async install(path: string, onProgress: (percent: number) => void): Promise<void> {
    this.asked.push('install');
    onProgress(50);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const { version, manifest_hash } = await this.check(path);
    this.content[this.other] = version;
    this.manifest = manifest_hash;
    this.tries[this.other] = 0;
  }

  async written() {
    const version = this.content[this.other];
    return version === null ? null : { version, manifest_hash: this.manifest };
  }

  async choose(): Promise<void> {
    this.asked.push('choose');
    this.tries[this.other] = TRIES;
    this.order = [this.other, this.running];
  }

  async restart(): Promise<void> {
    this.asked.push('restart');
    this.wantsRestart = true;
  }

  async noteMoving(why: string | null): Promise<void> {
    this.moving = why;
  }

  async markGood(): Promise<void> {
    this.asked.push('good');
    this.tries[this.running] = TRIES;
  }

  async markBad(): Promise<void> {
    this.asked.push('bad');
    this.tries[this.running] = 0;
  }

  /** Starts the device, as often as it takes to come to a slot whose software starts. */
  start(): void {
    this.wantsRestart = false;
    for (;;) {
      const slot = this.order.find((each) => this.tries[each] > 0);
      if (slot === undefined) throw new Error('no slot has a try left');
      this.tries[slot] -= 1;
      if (this.broken.has(this.content[slot] ?? '')) continue;
      this.running = slot;
      return;
    }
  }

  private get other(): SlotName {
    return this.running === 'A' ? 'B' : 'A';
  }
}
