/** The words of both consoles for the rules of a decision, in English. */
export const RULE_WORDS = {
  title: 'The rules, in their order',
  why: 'Why',
  unknown: 'Nothing was kept of what this decision saw.',
  outcomes: { passed: 'went on', admitted: 'let through', denied: 'refused', undecided: 'no decision' },
  names: {
    plate: 'Plate',
    direction: 'Direction',
    retransmission: 'Late read',
    debounce: 'Repeated read',
    direction_mismatch: 'Side of the camera',
    whitelist: 'Member or key',
    tariff: 'Tariff',
    max_capacity: 'Free places',
    session_exit: 'Known entry',
    offline_exit: 'Cut off',
  } as Record<string, string>,
  plate: (plate: string) => `Looked for as ${plate}.`,
  directions: { in: 'It drove in.', out: 'It drove out.', undefined: 'Which way it drove is not known.' } as Record<
    string,
    string
  >,
  onTime: 'It was told at once.',
  late: (seconds: number | null) =>
    seconds === null ? 'It was told late, nobody knows how late.' : `It was told ${seconds} s late.`,
  firstRead: 'Not read shortly before.',
  repeated: (seconds: number, within: number) =>
    `Read ${seconds} s before: within ${within} s that is the same vehicle.`,
  longAgo: (seconds: number, within: number) => `Read ${seconds} s before: longer ago than ${within} s.`,
  openingFailed: 'The opening after it had failed.',
  wasLetThrough: 'It was let through then, and needs nothing more.',
  cameraFor: {
    in: 'The camera is for entries.',
    out: 'The camera is for exits.',
    'in/out': 'The camera is for both ways.',
  } as Record<string, string>,
  isListed: 'It is a member’s, bound to the gate, or has a key.',
  isNotListed: 'It is no member’s, not bound to the gate, and has no key.',
  hasTariff: 'Others may park here for a fee.',
  hasNoTariff: 'The zone has no tariff, so that others may not park here.',
  spotsOccupied: (count: number, spots: number) => `${count} of ${spots} are taken.`,
  noLimit: 'The zone has no limit.',
  stayBegan: (span: string) => `Its stay began ${span} before.`,
  endedByLookAlike: 'A plate that looks like it has taken out its stay.',
  letOutBefore: 'Somebody let it out a moment before: it tries again.',
  lookAlikeStay: (span: string) => `One stay, begun ${span} before, has a plate that looks like it.`,
  noStay: 'No stay in the lot has this plate or one that looks like it.',
  cutOffOpen: 'The gateway was cut off from the others: this lot lets out then.',
  cutOffDeny: 'The gateway was cut off from the others: this lot lets nobody out then.',
  notCutOff: 'The gateway knew of all entries.',
};

export type RuleWords = typeof RULE_WORDS;
