/** Every thing a site file declares, in the order in which they can be created. Pure. */
import { minorUnits } from '../../shared/money.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { ROLE_IDS } from '../store/queries/accounts.js';
import { zoneFinder } from './account-zones.js';
import { declareInsideOfLot } from './declare-lots.js';
import { declareKeyLogs } from './kinds/key-logs.js';
import { declareLicensePlateAlerts } from './kinds/license-plate-alerts.js';
import { declareRgbDisplays } from './kinds/rgb-displays.js';
import { tariffWindowsJson } from './kinds/tariff-windows.js';
import { declareWeblinks } from './kinds/weblinks.js';
import type { Site, SiteAccount, SiteLot, SitePath } from './site-schema.js';
import { declare, type DeclaredSecrets, type DeclaredThing, thingNames } from './site-things.js';

export function declareThings(site: Site, secrets: DeclaredSecrets): DeclaredThing[] {
  return site.accounts.flatMap((account, index) => declareAccount(account, ['accounts', index], secrets));
}

function declareAccount(account: SiteAccount, path: SitePath, secrets: DeclaredSecrets): DeclaredThing[] {
  const name = thingNames.accounts(account.name);
  const accountThing = declare({
    table: 'accounts',
    ...name,
    path,
    values: {
      name: account.name,
      contact_email: account.contact_email,
      remote_control: account.remote_control,
      public_key_requests: account.public_key_requests,
    },
    initially: {
      account_role_id: 1,
      auto_extend: 0,
      contact_name: '',
      contact_phone: '',
      billing_title: '',
      vat: '',
      address: '',
      city: '',
      zip_code: '',
      infinite_shares: 0,
    },
  });
  const lots = account.lots.map((lot, index) => ({ lot, path: [...path, 'lots', index] }));
  return [
    accountThing,
    ...declareTariffs(account, path),
    ...lots.map(({ lot, path: lotPath }) => declareLot(account, lot, lotPath)),
    ...declareUsers(account, path, secrets),
    ...declareApiTokens(account, path, secrets),
    ...lots.flatMap(({ lot, path: lotPath }) => declareInsideOfLot(account, lot, lotPath, secrets)),
    ...declareGroups(account, path),
    ...declareMembers(account, path),
    ...declareLicensePlateAlerts(account, path),
    ...declareKeyLogs(account, path, secrets),
    ...declareRgbDisplays(account, path),
    ...declareWeblinks(account, path, secrets),
  ];
}

function declareTariffs(account: SiteAccount, path: SitePath): DeclaredThing[] {
  return account.tariffs.map((tariff, index) =>
    declare({
      table: 'tariffs',
      ...thingNames.tariffs(account.name, tariff.name),
      path: [...path, 'tariffs', index],
      values: {
        name: tariff.name,
        currency: tariff.currency,
        vat: tariff.vat,
        free_minutes: tariff.free_minutes,
        price_minor: minorUnits(tariff.price, tariff.currency),
        step_minutes: tariff.step_minutes,
        daily_max_minor: tariff.daily_max === null ? null : minorUnits(tariff.daily_max, tariff.currency),
        windows: tariffWindowsJson(tariff),
      },
      references: { account_id: thingNames.accounts(account.name).key },
    }),
  );
}

function declareUsers(account: SiteAccount, path: SitePath, secrets: DeclaredSecrets): DeclaredThing[] {
  return account.users.map((user, index) => {
    const passwordHash = secrets.passwordHashes.get(user.email);
    return declare({
      table: 'account_users',
      ...thingNames.account_users(user.email),
      path: [...path, 'users', index],
      values: {
        email: user.email,
        name: user.name,
        account_user_role_id: ROLE_IDS[user.role],
        email_confirmed: user.email_confirmed,
        ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      },
      initially: { phone: '', language_tag: 'en', country_code: '', password_hash: '' },
      references: { account_id: thingNames.accounts(account.name).key },
      links: [
        {
          table: 'account_user_lots',
          to: user.lots?.map((lot) => thingNames.lots(account.name, lot).key) ?? 'all lots of the account',
        },
      ],
    });
  });
}

function declareApiTokens(account: SiteAccount, path: SitePath, secrets: DeclaredSecrets): DeclaredThing[] {
  return account.api_tokens.map(({ name, token }, index) => {
    const made = token === undefined ? ({ what: 'token', secret: secrets.makeToken() } as const) : null;
    const hash = secrets.hashToken(token ?? made?.secret ?? '');
    return declare({
      table: 'api_tokens',
      ...thingNames.api_tokens(account.name, name),
      path: [...path, 'api_tokens', index],
      values: { name, ...(made === null ? { token_hash: hash } : {}) },
      initially: { token_hash: hash },
      references: { account_id: thingNames.accounts(account.name).key },
      made,
    });
  });
}

function declareLot(account: SiteAccount, lot: SiteLot, path: SitePath): DeclaredThing {
  return declare({
    table: 'lots',
    ...thingNames.lots(account.name, lot.name),
    path,
    values: {
      name: lot.name,
      address: lot.address,
      timezone: lot.timezone,
      latitude: lot.latitude,
      longitude: lot.longitude,
      offline_exit: lot.offline_exit,
      autonomy_days: lot.autonomy_days,
    },
    references: { account_id: thingNames.accounts(account.name).key },
  });
}

function declareGroups(account: SiteAccount, path: SitePath): DeclaredThing[] {
  const zoneOf = zoneFinder(account);
  return account.groups.map((group, index) =>
    declare({
      table: 'groups',
      ...thingNames.groups(account.name, group.name),
      path: [...path, 'groups', index],
      values: { name: group.name, description: group.description },
      references: { account_id: thingNames.accounts(account.name).key },
      links: [
        { table: 'group_zones', to: group.zones.flatMap((name) => zoneOf(name)?.key ?? []) },
        { table: 'group_tariffs', to: group.tariffs.map((name) => thingNames.tariffs(account.name, name).key) },
      ],
    }),
  );
}

function declareMembers(account: SiteAccount, path: SitePath): DeclaredThing[] {
  return account.members.map((member, index) =>
    declare({
      table: 'members',
      ...thingNames.members(account.name, member.name),
      path: [...path, 'members', index],
      values: {
        name: member.name,
        description: member.description,
        email: member.email,
        license_plate: member.license_plate,
        plate_normalised: normalisePlate(member.license_plate),
      },
      references: { account_id: thingNames.accounts(account.name).key },
      links: [{ table: 'group_members', to: member.groups.map((name) => thingNames.groups(account.name, name).key) }],
    }),
  );
}
