/** The views, the area of the menu in which each stands, and who sees them. */
import type { ComponentChildren } from 'preact';
import type { View } from '../console-paths.js';
import { InsideView } from './inside-view.js';
import { lazyView } from './lazy-views.js';
import { LiveView } from './live-view.js';
import { Overview } from './overview.js';
import { mayManage, mayRule } from './session.js';
import { SessionsView } from './session-search.js';

const AlertsView = lazyView(async () => (await import('./alerts-view.js')).AlertsView);
const AnalyticsView = lazyView(async () => (await import('./analytics-view.js')).AnalyticsView);
const AskView = lazyView(async () => (await import('./ask-view.js')).AskView);
const AuditView = lazyView(async () => (await import('./audit-view.js')).AuditView);
const DevicesView = lazyView(async () => (await import('./devices-view.js')).DevicesView);
const DisplaysView = lazyView(async () => (await import('./displays-view.js')).DisplaysView);
const KeysView = lazyView(async () => (await import('./keys-view.js')).KeysView);
const MailsView = lazyView(async () => (await import('./mails-view.js')).MailsView);
const MembersView = lazyView(async () => (await import('./members-view.js')).MembersView);
const OpeningsView = lazyView(async () => (await import('./openings-view.js')).OpeningsView);
const ProfileView = lazyView(async () => (await import('./profile-view.js')).ProfileView);
const ReleasesView = lazyView(async () => (await import('./releases-view.js')).ReleasesView);
const ReadsView = lazyView(async () => (await import('./reads-view.js')).ReadsView);
const TariffsView = lazyView(async () => (await import('./tariffs-view.js')).TariffsView);
const TokensView = lazyView(async () => (await import('./tokens-view.js')).TokensView);
const UsersView = lazyView(async () => (await import('./users-view.js')).UsersView);
const WebhooksView = lazyView(async () => (await import('./webhooks-view.js')).WebhooksView);

/** Those of the menu: a lot and the wall's view are reached from the overview, and a new password by a mail. */
export type NavigatedView = Exclude<View, 'lot' | 'kiosk' | 'reset'>;
export type Area = 'overview' | 'vehicles' | 'people' | 'devices' | 'account';

interface ShownView {
  area: Area;
  /** Whether who is signed in may see it. */
  may: () => boolean;
  show: () => ComponentChildren;
}

const everybody = () => true;

/** In the order of the menu. */
export const SHOWN_VIEWS: Readonly<Record<NavigatedView, ShownView>> = {
  overview: { area: 'overview', may: everybody, show: () => <Overview /> },
  live: { area: 'vehicles', may: everybody, show: () => <LiveView /> },
  inside: { area: 'vehicles', may: everybody, show: () => <InsideView /> },
  sessions: { area: 'vehicles', may: everybody, show: () => <SessionsView /> },
  openings: { area: 'vehicles', may: everybody, show: () => <OpeningsView /> },
  reads: { area: 'vehicles', may: everybody, show: () => <ReadsView /> },
  analytics: { area: 'vehicles', may: everybody, show: () => <AnalyticsView /> },
  ask: { area: 'vehicles', may: everybody, show: () => <AskView /> },
  keys: { area: 'people', may: () => mayManage.value, show: () => <KeysView /> },
  tariffs: { area: 'people', may: () => mayManage.value, show: () => <TariffsView /> },
  members: { area: 'people', may: () => mayManage.value, show: () => <MembersView /> },
  alerts: { area: 'people', may: () => mayManage.value, show: () => <AlertsView /> },
  devices: { area: 'devices', may: everybody, show: () => <DevicesView /> },
  displays: { area: 'devices', may: () => mayManage.value, show: () => <DisplaysView /> },
  releases: { area: 'devices', may: () => mayRule.value, show: () => <ReleasesView /> },
  profile: { area: 'account', may: everybody, show: () => <ProfileView /> },
  users: { area: 'account', may: () => mayManage.value, show: () => <UsersView /> },
  tokens: { area: 'account', may: () => mayRule.value, show: () => <TokensView /> },
  webhooks: { area: 'account', may: () => mayManage.value, show: () => <WebhooksView /> },
  mails: { area: 'account', may: () => mayManage.value, show: () => <MailsView /> },
  audit: { area: 'account', may: () => mayManage.value, show: () => <AuditView /> },
};

/** Those that the person may see. */
export const seenViews = (): NavigatedView[] =>
  (Object.keys(SHOWN_VIEWS) as NavigatedView[]).filter((each) => SHOWN_VIEWS[each].may());

/** The areas that the person may see, each with its views. */
export function seenAreas(): ReadonlyMap<Area, readonly NavigatedView[]> {
  const areas = new Map<Area, NavigatedView[]>();
  for (const view of seenViews()) {
    const { area } = SHOWN_VIEWS[view];
    areas.set(area, [...(areas.get(area) ?? []), view]);
  }
  return areas;
}
