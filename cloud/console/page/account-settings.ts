/** The settings of the account that the console follows, read with everything else. */
import { computed, signal } from '@preact/signals';
import { masksPlates } from './plate-mask.js';
import { client, mayManage } from './session.js';

export type MoneyRight = 'all' | 'payments' | 'none';

/** What Attendants may do with money; null: not known yet. */
export const attendantMoney = signal<MoneyRight | null>(null);

/** Whether the service has answered; until then plates are masked in any case. */
export const areSettingsKnown = computed(() => attendantMoney.value !== null);

const money = computed<MoneyRight>(() => (mayManage.value ? 'all' : (attendantMoney.value ?? 'none')));

/** Whether the person may report what was paid. */
export const mayPay = computed(() => money.value !== 'none');
/** Whether the person may give money back, and grant free minutes. */
export const mayGiveMoney = computed(() => money.value === 'all');

type Settings = Awaited<ReturnType<typeof readSettings>>;

const readSettings = () => client().get('/v2/account', {});

function keepSettings({ mask_plates, attendant_money }: Settings): void {
  masksPlates.value = mask_plates === 1;
  attendantMoney.value = attendant_money;
}

export const loadSettings = async (): Promise<void> => keepSettings(await readSettings());

/** Throws as the client does. */
export const changeSettings = async (body: { mask_plates?: 0 | 1; attendant_money?: MoneyRight }): Promise<void> =>
  keepSettings(await client().patch('/v2/account', { body }));

export function forgetSettings(): void {
  attendantMoney.value = null;
}
