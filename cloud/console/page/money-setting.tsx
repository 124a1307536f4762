/** The setting by which a Super Admin says what Attendants may do with money. */
import { useSignal } from '@preact/signals';
import { accountWords } from './account-words.js';
import { attendantMoney, changeSettings, type MoneyRight } from './account-settings.js';
import { words } from './browser.js';
import { Choice, worded } from './fields.js';
import { CallShown, Notice, Refused } from './parts.js';
import { useSending } from './sending.js';

const RIGHTS: readonly MoneyRight[] = ['all', 'payments', 'none'];

export function MoneySetting() {
  const say = accountWords.users;
  const notice = useSignal('');
  const sending = useSending([]);
  const { value: right } = attendantMoney;
  if (right === null) return null;
  const change = async (text: string) => {
    const attendant_money = RIGHTS.find((each) => each === text) ?? right;
    notice.value = '';
    if (await sending.send(() => changeSettings({ attendant_money }))) notice.value = say.moneySettled;
  };
  return (
    <section class="card" aria-labelledby="money-setting">
      <h2 id="money-setting">{say.moneyTitle}</h2>
      <p class="facts">{say.moneyWhat}</p>
      <Choice
        label={words.roles[3] ?? ''}
        value={right}
        onValue={(text) => void change(text)}
        options={worded(say.attendantMoney, RIGHTS)}
      />
      <Notice text={notice.value} />
      <Refused refusal={sending.refusal} />
      <CallShown call={{ method: 'PATCH', path: '/v2/account', body: { attendant_money: right } }} />
    </section>
  );
}
