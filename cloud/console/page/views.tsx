/** The views, the area of the menu in which each stands, and who sees them. */
import type { ComponentChildren } from 'preact';
import type { View } from '../console-paths.js';
import { AlertsView } from './alerts-view.js';
import { AnalyticsView } from './analytics-view.js';
import { AskView } from './ask-view.js';
import { AuditView } from './audit-view.js';
import { DevicesView } from './devices-view.js';
import { DisplaysView } from './displays-view.js';
import { InsideView } from './inside-view.js';
import { KeysView } from './keys-view.js';
import { LiveView } from './live-view.js';
import { MailsView } from './mails-view.js';
import { MembersView } from './members-view.js';
import { Overview } from './overview.js';
import { ProfileView } from './profile-view.js';
import { mayManage, mayRule } from './session.js';
import { SessionsView } from './session-search.js';
import { TariffsView } from './tariffs-view.js';
import { TokensView } from './tokens-view.js';
import { UsersView } from './users-view.js';
import { WebhooksView } from './webhooks-view.js';

/** Those of the menu: a lot is reached from the overview. */
export type NavigatedView = Exclude<View, 'lot'>;
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
  analytics: { area: 'vehicles', may: everybody, show: () => <AnalyticsView /> },
  ask: { area: 'vehicles', may: everybody, show: () => <AskView /> },
  keys: { area: 'people', may: () => mayManage.value, show: () => <KeysView /> },
  tariffs: { area: 'people', may: () => mayManage.value, show: () => <TariffsView /> },
  members: { area: 'people', may: () => mayManage.value, show: () => <MembersView /> },
  alerts: { area: 'people', may: () => mayManage.value, show: () => <AlertsView /> },
  devices: { area: 'devices', may: everybody, show: () => <DevicesView /> },
  displays: { area: 'devices', may: () => mayManage.value, show: () => <DisplaysView /> },
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
