/** Judges bundles: whether one may be installed on this device now, and whether what was installed is the one that was judged. */
import { type BundleInfo, BundleRefused, type UpdateInstaller } from './update-installer.js';
import { problemOf, type UpdateState } from './update-machine.js';

export type BundleJudge = ReturnType<typeof createBundleJudge>;

/** @param of.machine which bundles are for this device */
export function createBundleJudge(of: {
  installer: UpdateInstaller;
  machine: () => string;
  state: () => Pick<UpdateState, 'floor'>;
}) {
  const { installer } = of;

  /** @param announced the version that it has to have; null: any. @throws BundleRefused */
  async function requireFit(place: string, announced: string | null): Promise<BundleInfo> {
    const info = await installer.check(place);
    const { machine, version } = info;
    if (machine !== of.machine()) throw new BundleRefused(`it is for ${machine}, and this device is ${of.machine()}`);
    const problem = problemOf(of.state(), version);
    if (problem !== null) throw new BundleRefused(problem);
    if (announced !== null && announced !== version)
      throw new BundleRefused(`its signature says version ${version}, and ${announced} was announced`);
    return info;
  }

  return {
    requireFit,
    /** @throws BundleRefused also when nobody could say afterwards whether it is what was installed */
    async requireStream(url: string, announced: string): Promise<BundleInfo> {
      const info = await requireFit(url, announced);
      if (info.manifest_hash === null)
        throw new BundleRefused('this rauc does not say which bundle it installs: the file is brought whole');
      return info;
    },
    /**
     * Compares the slot with the judged bundle before the slot is chosen: an address may answer with another file the second time.
     * @throws BundleRefused when it is another one
     */
    async requireWritten(judged: BundleInfo): Promise<void> {
      const written = await installer.written();
      // An older RAUC does not say it; then the file is the device's own, and its SHA-256 was compared.
      const isOther =
        judged.manifest_hash === null
          ? written !== null && written.version !== judged.version
          : written?.manifest_hash !== judged.manifest_hash;
      if (isOther)
        throw new BundleRefused(
          `what was installed (${written?.version ?? 'nothing whole'}) is not the bundle that was judged (${judged.version})`,
        );
    },
  };
}
