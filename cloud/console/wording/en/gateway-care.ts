/** What the console says in English of a gateway's look at itself, and of its reset. */
export const GATEWAY_CARE_WORDS = {
  doctor: {
    states: { needsYou: 'Needs you', unknown: 'Not known', ok: 'OK' },
    counted: (state: string, n: number) => `${state}: ${n}`,
    looked: (at: string, age: string) => `Looked ${at}, ${age} ago`,
    was: (age: string) => `was in order ${age} ago`,
    notLooked: 'could not be looked at',
    old: 'The report is old, so what was in order then is shown as not known. Next step: “Ask for a report”.',
    alone:
      'The gateway is not connected, so what was in order then is not known now. Next step: see to its power and network; the page of the device itself can look at it without a network.',
    notLookedNext:
      'Next step: ask for a report once more. If it stays so, open the page of the device itself, which can look at more.',
    noStep: 'Nobody knows a step for this. Next step: the page behind the name of the finding.',
    okNext: 'Nothing to do.',
  },
  reset: {
    button: 'Reset',
    title: (name: string) => `Reset ${name}?`,
    intro:
      'A reset takes the device away from this gateway for good: it is let in no more from now on, and erases itself when it next comes, also weeks later.',
    lostTitle: 'Lost',
    lost: [
      'At the device: its identity, plates, pictures, keys and settings.',
      'What it has recorded and not sent yet: reads, stays, openings, pictures.',
      'Its claim: gates that only this gateway reaches open neither by plate nor from here.',
    ],
    keptTitle: 'Kept',
    kept: [
      'Here: the gateway with its name, barriers, gates, cameras, members, tariffs, and all that it has sent.',
      'Phones with a key open barriers and gates as before, by Bluetooth alone.',
      'The software of the device, and the oldest version that it accepts.',
    ],
    onSiteTitle: 'Somebody on site',
    onSite: [
      'Nobody is needed for the reset itself.',
      'To have gates work again, somebody has to be at the device, or to bring another one: it gets a new claim code of this gateway.',
      'Cameras that push to the device may need their new address afterwards (Devices, Cameras).',
    ],
    nothingWaits: 'Nothing waits at the device, as it last said.',
    waiting: (n: number) => `Waiting at the device, and lost: ${n} records, as it last said.`,
    waitingUnknown: 'How much waits at the device is not known: it has not said so, or is not connected.',
    queueOf: (n: number, age: string) =>
      `${n} records waited at the device ${age} ago. It is not connected, so it may be more now; all of it is lost.`,
    type: (name: string) => `Type the name to go on: ${name}`,
    wrong: 'This is not its name.',
    yes: 'Reset the gateway',
    done: (name: string) => `${name} has no device any more. It waits for a device and a new claim code.`,
  },
};

export type GatewayCareWords = typeof GATEWAY_CARE_WORDS;
