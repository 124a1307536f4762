/** Renders the setup of a camera for a person at a shell. */
import type { SetupReport } from '../lpr/setup/camera-setups.js';

/** What would be changed, or was, and what is left to a person. @param name of the camera, as `parking-agent cameras setup` knows it */
export function renderCameraSetup(name: string, { changes, byHand, isDone }: SetupReport): string[] {
  return [
    ...(changes.length === 0
      ? ['nothing to change']
      : [isDone ? 'changed:' : 'would change:', ...changes.map((each) => `  ${each}`)]),
    ...(byHand.length === 0 ? [] : ['by hand:', ...byHand.map((each) => `  ${each}`)]),
    ...(isDone || changes.length === 0 ? [] : [`do it: parking-agent cameras setup ${name} --yes (and back: --undo)`]),
  ];
}
