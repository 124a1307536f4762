/**
 * A device with two slots behind the port of updates: what RAUC, U-Boot and the restart do to it, without the hour that an emulated one takes.
 * A start takes a try from the chosen slot; a slot without tries is passed over.
 */
import { BundleRefused, type BundleInfo, type UpdateInstaller } from '../../agent/update/update-installer.js';

const TRIES = 3;

type SlotName = 'A' | 'B';
/** The hash is left out where it is that of the version. */
type BundleSaid = Omit<BundleInfo, 'manifest_hash'> & { manifest_hash?: string | null };

/** Kept by such a device while it has no power. */
export interface KeptSlots {
  content: Record<SlotName, string | null>;
  tries: Record<SlotName, number>;
  order: [SlotName, SlotName];
  /** Of what was installed. */
  manifest: string | null;
}

export class Slots implements UpdateInstaller {
  running: SlotName = 'A';
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

  constructor(
    private readonly infoOf?: (path: string) => BundleSaid | undefined,
    private readonly kept: KeptSlots = {
      content: { A: '1.0.0', B: null },
      tries: { A: TRIES, B: 0 },
      order: ['A', 'B'],
      manifest: null,
    },
    /** Called after each step that changes what is kept. */
    private readonly keep: (kept: KeptSlots) => void = () => undefined,
  ) {}

  get version(): string | null {
    return this.kept.content[this.running];
  }

  async look() {
    return {
      machine: 'parking-gateway-arm64',
      slot: this.running,
      version: this.version,
      other: { version: this.kept.content[this.other], is_bad: this.kept.tries[this.other] === 0 },
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
    this.kept.tries[this.other] = 0;
    this.kept.content[this.other] = null;
    this.keep(this.kept);
    this.kept.content[this.other] = version;
    this.kept.manifest = manifest_hash;
    this.keep(this.kept);
  }

  async written() {
    const version = this.kept.content[this.other];
    return version === null ? null : { version, manifest_hash: this.kept.manifest };
  }

  async choose(): Promise<void> {
    this.asked.push('choose');
    this.kept.tries[this.other] = TRIES;
    this.kept.order = [this.other, this.running];
    this.keep(this.kept);
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
    this.kept.tries[this.running] = TRIES;
    this.keep(this.kept);
  }

  async markBad(): Promise<void> {
    this.asked.push('bad');
    this.kept.tries[this.running] = 0;
    this.keep(this.kept);
  }

  /** Starts the device, as often as it takes to come to a slot whose software starts. */
  start(): void {
    this.wantsRestart = false;
    for (;;) {
      const slot = this.kept.order.find((each) => this.kept.tries[each] > 0);
      if (slot === undefined) throw new Error('no slot has a try left');
      this.kept.tries[slot] -= 1;
      this.keep(this.kept);
      if (this.broken.has(this.kept.content[slot] ?? '')) continue;
      this.running = slot;
      return;
    }
  }

  private get other(): SlotName {
    return this.running === 'A' ? 'B' : 'A';
  }
}
