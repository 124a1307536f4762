/** The views of the console and their addresses: the cloud serves its page at each, and the page shows what the address names. */

export const VIEWS = [
  'overview',
  'lot',
  'kiosk',
  'live',
  'inside',
  'sessions',
  'openings',
  'reads',
  'analytics',
  'ask',
  'keys',
  'tariffs',
  'members',
  'alerts',
  'devices',
  'displays',
  'releases',
  'profile',
  'reset',
  'users',
  'tokens',
  'webhooks',
  'mails',
  'audit',
] as const;

export type View = (typeof VIEWS)[number];

/** As routes have them. */
export const VIEW_PATHS: Readonly<Record<View, string>> = {
  overview: '/',
  lot: '/lots/{id}',
  kiosk: '/kiosk',
  live: '/live',
  inside: '/inside',
  sessions: '/sessions',
  openings: '/openings',
  reads: '/reads',
  analytics: '/analytics',
  ask: '/ask',
  keys: '/keys',
  tariffs: '/tariffs',
  members: '/members',
  alerts: '/alerts',
  devices: '/devices',
  displays: '/displays',
  releases: '/releases',
  profile: '/profile',
  reset: '/reset',
  users: '/users',
  tokens: '/tokens',
  webhooks: '/webhooks',
  mails: '/mails',
  audit: '/audit',
};

/** Where a view is; of the lot's, which lot. */
export type Place = { view: Exclude<View, 'lot'> } | { view: 'lot'; id: number };

const LOT_PATH = /^\/lots\/([1-9]\d{0,14})$/;

/** What an address shows; null for one that is no view's. @param path `/lots/3`, without query */
export function placeOf(path: string): Place | null {
  const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
  const [, id] = LOT_PATH.exec(trimmed) ?? [];
  if (id !== undefined) return { view: 'lot', id: Number(id) };
  const view = VIEWS.find((each) => VIEW_PATHS[each] === trimmed);
  return view === undefined || view === 'lot' ? null : { view };
}

export const lotPath = (id: number): string => VIEW_PATHS.lot.replace('{id}', String(id));
