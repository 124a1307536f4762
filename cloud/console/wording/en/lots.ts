/** What the console says in English of lots: how they are, their plan, what is open in an emergency. */
export const LOT_WORDS = {
  overview: {
    unsure: 'Not everything could be read.',
    occupied: (count: number, spots: number) => (spots === 0 ? `${count} taken` : `${count} of ${spots} taken`),
    ofSpots: (spots: number) => (spots === 0 ? 'taken' : `of ${spots} taken`),
    free: (count: number) => `${count} free`,
    noLots: 'No lot is assigned to you. An administrator of your account can do that.',
    waits: 'What waits',
    nothingWaits: 'Nobody waits, and nothing is broken.',
    toQueue: 'All refused',
    now: 'What happens',
    insideToo: (count: number) =>
      count === 1
        ? 'One vehicle is inside by entries and exits.'
        : `${count} vehicles are inside by entries and exits.`,
    whySensors: 'Taken is what the sensors of places see; inside is who came in and has not gone out.',
    whyStays:
      'Taken leaves out stays that are longer than allowed, and follows the last recount; inside has every stay that has not ended.',
  },
  emergency: {
    label: 'Held open in an emergency',
    atGateway: (gateway: string, since: string) =>
      `Somebody at the gateway ${gateway} opened everything: held open since ${since}.`,
    ends: 'Anybody who signs in here ends it by “Back to normal”, and so does “Back to normal” at the page of the gateway.',
    at: (lot: string) => `Emergency in ${lot}.`,
    endTitle: (lot: string) => `Back to normal in ${lot}?`,
    endsHere: (lot: string) => `Everything in ${lot} is held open in an emergency. This ends it here.`,
    toLot: 'To the lot',
  },
  command: {
    ask: (operation: string, product: string) => `${operation}: ${product}?`,
    noAnswer: 'No answer. It will not be sent later: look whether it moved before you press again.',
    sending: (operation: string) => `${operation}: sending …`,
    pending: (operation: string) => `${operation}: waiting for its answer …`,
    succeeded: (operation: string, ms: number | null) =>
      ms === null ? `${operation}: done.` : `${operation}: done in ${(ms / 1000).toFixed(1)} s.`,
    failed: (operation: string, why: string) => `${operation}: ${why}`,
    attempt: (parts: { gateway: string; rssi: number | null; ms: number | null; outcome: string }) =>
      [
        parts.gateway,
        parts.rssi === null ? null : `${parts.rssi} dBm`,
        parts.ms === null ? null : `${parts.ms} ms`,
        parts.outcome,
      ]
        .filter((part) => part !== null)
        .join(' · '),
    attempts: 'Attempts',
    noGateway: 'no gateway',
    running: 'running',
  },
  lot: {
    products: 'Barriers and gates',
    devices: 'Gateways and cameras',
    unknown: 'There is no such lot, or it is not assigned to you.',
    zones: 'Zones',
    emergency: 'Emergency',
    release: 'Emergency: open everything',
    releaseHint: 'Opens every barrier and gate of this lot at once, after a question.',
    releaseTitle: (name: string) => `Open everything in ${name}?`,
    releaseWhat: (count: number) =>
      count === 1
        ? 'Its one barrier or gate opens, for an emergency.'
        : `All ${count} barriers and gates open, for an emergency.`,
    releaseHold: 'Hold them open until somebody ends it',
    releaseYes: 'Open everything now',
    releaseEnd: 'Back to normal',
    releaseEndHint: 'Stops holding open: barriers and gates go by their rules again.',
    releasedBy: (name: string, since: string) => `${name} opened everything: held open since ${since}.`,
    nothingHeld: 'Nothing was held open.',
    released: ({ done, all, failed }: { done: number; all: number; failed: number }) =>
      `${done} of ${all} done${failed === 0 ? '.' : `, ${failed} failed: somebody has to go there.`}`,
    releaseStates: {
      passable: 'open',
      ended: 'no longer held open',
      waiting: 'waiting for its answer',
      failed: (why: string) => `failed: ${why}`,
    },
    noProducts: 'This lot has no barrier or gate yet.',
    gatewayOnline: 'connected',
    gatewayOffline: (since: string | null) => (since === null ? 'not connected' : `working alone since ${since}`),
    queue: (count: number) => (count === 0 ? 'nothing waits' : `${count} records wait`),
    tokenDays: (days: number) => `opens by itself for ${days} days`,
    cameraOnline: 'sends',
    cameraOffline: (since: string | null) => (since === null ? 'silent' : `silent since ${since}`),
    version: (version: string) => `version ${version}`,
  },
  plan: {
    shownAs: 'Shown as',
    list: 'List',
    plan: 'Plan',
    title: (lot: string) => `Plan of ${lot}`,
    how: 'Arrow keys go to the next thing, Page up and Page down through all of them, Enter shows one.',
    howToArrange:
      'Drag things to where they belong; a zone takes along what stands in it. By keyboard: Enter takes a thing up, arrow keys move it, with Shift they make a zone larger or smaller, Enter puts it down.',
    arrange: 'Arrange',
    save: 'Save the arrangement',
    discard: 'Discard',
    automatic: 'Arrange all anew',
    saved: 'The arrangement is saved.',
    changed: 'Somebody else has arranged this plan meanwhile.',
    theirs: 'Show theirs',
    mine: 'Save mine all the same',
    lifted: (name: string) => `${name}: taken up.`,
    putDown: (name: string) => `${name}: put down.`,
    chosen: 'Chosen',
    choose: 'Choose something in the plan: what it does stands here, with its buttons.',
    nothing: 'Nothing stands in this lot yet. Zones, places, barriers and cameras appear here by themselves.',
    places: 'Places',
    placesFree: (free: number, all: number) => `${free} of ${all} free`,
    place: (name: string) => `Place ${name}`,
    placeStates: { free: 'free', occupied: 'occupied', unknown: 'not known' },
    camera: 'Camera',
    zoneOf: (name: string) => `in ${name}`,
    lastRead: 'Last read',
    noRead: 'Nothing read yet.',
    toLive: 'Show its vehicles',
  },
  spark: {
    label: (count: number, at: string) => `Today: most at ${at}, with ${count} inside`,
    quiet: 'Today: nobody inside so far',
    axis: ['0', '6', '12', '18', '24'],
  },
};
