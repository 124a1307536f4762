/** The groups of operations in the OpenAPI document, in the order in which people read them. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  'Authentication and tokens': 'User tokens for people, API tokens for programs. Both are bearers.',
  'Account users': 'The people who sign in, their roles and the lots assigned to them.',
  Lots: 'Car parks. Each has one time zone.',
  Zones: 'Parts of a lot, with tariffs, members and a count of occupied places.',
  Products: 'Barriers, gates, chains, bollards and brains that gateways operate over Bluetooth.',
  Commands: 'What is asked of products. The result follows as an event, and stands at the command.',
  Openings: 'What products were asked to do: by cameras, people, programs, links, in emergencies and on site.',
  'Key logs': 'Keys that were given to guests, each with its token: by email, telephone number or licence plate.',
  'Operation keys': 'Keys that were mailed, and the request for them, which the account may open to everybody.',
  'Operation tokens': 'Windows and credentials of keys, with which a phone operates a product over Bluetooth.',
  Weblinks: 'Links by which anybody who has them operates one product for a time.',
  'LPR cameras': 'Cameras that read licence plates.',
  'Plate readings': 'What cameras read, with pictures; a person can correct the plate.',
  'Lot entries': 'Decided readings in the form of the legacy account.',
  Sessions: 'Presences of vehicles in zones, from entry to exit, with payments and analytics.',
  Tariffs: 'What a stay costs, and in which currency.',
  'Members and groups': 'Known people and vehicles, and the groups that admit them to zones.',
  'License plate alerts': 'Plates of which somebody is notified when a camera reads them.',
  Mails: 'Mails to guests and to receivers of alerts, and what became of them.',
  'Parking places': 'Single parking places, watched by a sensor or not.',
  'Parking gateways': 'Concentrators of parking sensors.',
  'RGB displays': 'Displays, and the rules that choose their text by the number of occupied places.',
  Terminals: 'Pay stations and columns at a lot.',
  Gateways: 'Computers at the car park that run the gateway agent, and the codes by which they are claimed.',
  Events: 'The journal of events, for whoever missed the realtime connection.',
  Webhooks: 'Addresses that are called with events, and what became of the calls.',
  'Audit log': 'Who changed what, and when.',
  Health: 'Whether the service works, and its measurements.',
  Documents: 'The descriptions of the interface, for programs and for people.',
};

/** The document's `tags`: those that operations have, each with its description. */
export function documentTags(used: Iterable<string>): { name: string; description?: string }[] {
  const names = new Set(used);
  const described = Object.entries(TAG_DESCRIPTIONS).flatMap(([name, description]) =>
    names.delete(name) ? [{ name, description }] : [],
  );
  return [...described, ...[...names].map((name) => ({ name }))];
}
