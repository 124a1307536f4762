/** Reporter of the whole run: which files took longest, so that whoever shortens a tier knows where to begin. */
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 25;

export default class SlowestFilesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic();
      return { name: module.relativeModuleId, seconds: (duration + collectDuration) / 1_000 };
    });
    if (files.length <= SHOWN) return;
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    const sum = files.reduce((all, { seconds }) => all + seconds, 0);
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${name}`);
    process.stdout.write(`\nThe slowest of ${files.length} files, ${sum.toFixed(0)} s in all\n${lines.join('\n')}\n`);
  }
}
