/** The rules of a display: in their order, moved, made and changed. */
import { useSignal } from '@preact/signals';
import { countZones, withOccupied } from '../../../shared/display/count-zones.js';
import { decideDisplayText, RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import type { Faults } from '../wording/field-faults.js';
import { inputOf, momentAt } from '../wording/lot-time.js';
import { ownTimezone, timeOf, words } from './browser.js';
import { type Display, type DisplayRule, SignText, zonesCountedBy } from './display-sign.js';
import { missing, worded } from './fields.js';
import { Editor } from './editor.js';
import { CallsShown } from './made-calls.js';
import { Button, joined, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { lots, timezoneOfLot } from './store.js';
import { useRead } from './use-read.js';

const RULES_MAX = 300;

/** @param props.decided the rule that decides in the preview */
export function DisplayRules(props: { display: Display; decided: number | null; onChanged: () => void }) {
  const { display, decided, onChanged } = props;
  const edited = useSignal<number | 'new' | null>(null);
  const sending = useSending([]);
  const read = useRead(`rules ${display.id}`, (signal) =>
    client().get('/v2/rgb-display-rules', {
      query: { filter: [`rgb_display_id:eq:${display.id}`], sort: 'order:asc', size: RULES_MAX },
      signal,
    }),
  );
  // Of two with the same order the older one decides.
  const rules = read.found?.toSorted((a, b) => a.order - b.order || a.id - b.id) ?? null;
  const changed = () => {
    read.again();
    onChanged();
  };
  const move = async (from: number, to: number) => {
    const next = [...(rules ?? [])];
    next.splice(to, 0, ...next.splice(from, 1));
    const orders = next.flatMap(({ id, order }, at) => (order === at + 1 ? [] : [{ id, order: at + 1 }]));
    await sending.sendAll(
      orders.map(({ id, order }) => ({
        call: { method: 'PATCH', path: `/v2/rgb-display-rules/${id}`, body: { order } },
        work: () => client().patch('/v2/rgb-display-rules/{id}', { path: { id }, body: { order } }),
      })),
    );
    changed();
  };
  const say = words.displays;
  const chosen = rules?.find(({ id }) => id === edited.value) ?? null;
  return (
    <section class="rules" aria-label={`${say.rules}: ${display.name}`}>
      <div class="head">
        <h3>{say.rules}</h3>
        <Button look="small" word={say.makeRule} onClick={() => (edited.value = 'new')} />
      </div>
      <Refused refusal={sending.refusal ?? read.refusal} onAgain={read.again} />
      {rules?.length === 0 && <p class="notice">{say.noRules}</p>}
      {rules !== null && rules.length > 0 && <p class="facts">{say.rulesWhat}</p>}
      <ol>
        {rules?.map((rule, at) => (
          <RuleRow
            key={rule.id}
            rule={rule}
            timezone={clocksOf(display)}
            isDecided={rule.id === decided}
            onEdit={() => (edited.value = rule.id)}
            {...(at === 0 ? {} : { onUp: () => void move(at, at - 1) })}
            {...(at === rules.length - 1 ? {} : { onDown: () => void move(at, at + 1) })}
          />
        ))}
      </ol>
      <CallsShown made={sending.made} />
      {(edited.value === 'new' || chosen !== null) && (
        <RuleEditor
          display={display}
          rule={chosen}
          onClose={(said) => {
            edited.value = null;
            if (said !== '') changed();
          }}
        />
      )}
    </section>
  );
}

export function conditionSentence({ operator, occupied_value, occupied_value_to }: DisplayRule): string {
  const { conditions } = words.displays;
  return operator === 'between'
    ? conditions.between(occupied_value, occupied_value_to ?? occupied_value)
    : conditions[operator](occupied_value);
}

function RuleRow(props: {
  rule: DisplayRule;
  timezone: string;
  isDecided: boolean;
  onEdit: () => void;
  onUp?: () => void;
  onDown?: () => void;
}) {
  const { rule, timezone, isDecided, onEdit, onUp, onDown } = props;
  const { name, display_text, start_time, end_time } = rule;
  const say = words.displays;
  const window = say.window(
    start_time === null ? null : timeOf(start_time, timezone),
    end_time === null ? null : timeOf(end_time, timezone),
  );
  return (
    <li class="rule" aria-current={isDecided ? 'true' : undefined}>
      <span class="rule-said">
        <strong>{conditionSentence(rule)}</strong> <code>{display_text || say.blank}</code>
        <span class="facts">{joined([name, window])}</span>
      </span>
      <span class="buttons">
        <Button look="small" word="↑" label={say.up(name)} isBusy={onUp === undefined} onClick={() => onUp?.()} />
        <Button look="small" word="↓" label={say.down(name)} isBusy={onDown === undefined} onClick={() => onDown?.()} />
        <Button look="small" word={words.forms.edit} about={name} onClick={onEdit} />
      </span>
    </li>
  );
}

interface RuleForm {
  name: string;
  operator: string;
  value: string;
  to: string;
  text: string;
  start: string;
  end: string;
}

const EMPTY: RuleForm = { name: '', operator: 'gte', value: '', to: '', text: '', start: '', end: '' };
/** Its times are those of the lot before which it stands. */
const clocksOf = ({ lot_id }: Display): string => timezoneOfLot(lot_id) ?? ownTimezone;

const formOf = (rule: DisplayRule, timezone: string): RuleForm => ({
  name: rule.name,
  operator: rule.operator,
  value: String(rule.occupied_value),
  to: String(rule.occupied_value_to ?? ''),
  text: rule.display_text,
  start: inputOf(rule.start_time, timezone),
  end: inputOf(rule.end_time, timezone),
});

const bodyOf = ({ name, operator, value, to, text, start, end }: RuleForm, timezone: string) => ({
  name,
  operator: RULE_OPERATORS.find((each) => each === operator) ?? 'gte',
  occupied_value: Number(value),
  occupied_value_to: to === '' ? null : Number(to),
  display_text: text,
  start_time: momentAt(start, timezone),
  end_time: momentAt(end, timezone),
});

const COUNT_MAX = 1_000_000;
const isCount = (text: string): boolean => /^\d+$/.test(text) && Number(text) <= COUNT_MAX;

function faultsOf({ name, operator, value, to, start, end }: RuleForm): Faults {
  const { forms, displays, keys } = words;
  const isRange = operator === 'between';
  return {
    ...missing('name', name),
    ...(isCount(value) ? {} : { occupied_value: forms.number(0, COUNT_MAX) }),
    ...(isRange && !isCount(to) ? { occupied_value_to: forms.number(0, COUNT_MAX) } : {}),
    ...(isRange && isCount(to) && Number(to) < Number(value) ? { occupied_value_to: displays.toBelow } : {}),
    ...(start !== '' && end !== '' && end <= start ? { end_time: keys.endBeforeStart } : {}),
  };
}

function RuleEditor(props: { display: Display; rule: DisplayRule | null; onClose: (notice: string) => void }) {
  const { display, rule, onClose } = props;
  const say = words.displays;
  const timezone = clocksOf(display);
  return (
    <Editor
      list="/v2/rgb-display-rules"
      thing={rule}
      title={rule?.name ?? say.makeRule}
      draft={`display-rule-${rule?.id ?? `new-${display.id}`}`}
      formOf={(each) => (each === null ? EMPTY : formOf(each, timezone))}
      faultsOf={faultsOf}
      bodyOf={(form) => ({ ...bodyOf(form, timezone), rgb_display_id: display.id })}
      onClose={onClose}
      remove={rule !== null && { title: say.deleteTitle(rule.name), what: say.deleteRuleWhat }}
    >
      {({ form, field, choice, time }) => (
        <>
          {field('name', words.forms.name)}
          <div class="pair">
            {choice('operator', say.operator, worded(say.operators, RULE_OPERATORS))}
            {field('value', say.value, { as: 'occupied_value', type: 'number' })}
            {form.operator === 'between' && field('to', say.to, { as: 'occupied_value_to', type: 'number' })}
          </div>
          {field('text', say.text, { as: 'display_text', hint: say.textHint })}
          <Reading display={display} form={form} />
          <div class="pair">
            {time('start', say.from, timezone, { as: 'start_time', hint: say.always })}
            {time('end', say.until, timezone, { as: 'end_time', hint: say.always })}
          </div>
        </>
      )}
    </Editor>
  );
}

/** The text as it is typed, filled in by the function by which gateways fill it in. */
function Reading({ display, form }: { display: Display; form: RuleForm }) {
  if (form.text === '' || !isCount(form.value)) return null;
  const { zone_id, lot_id } = display;
  const counted = zonesCountedBy(display);
  const occupied = Number(form.value) + (form.operator === 'gt' ? 1 : form.operator === 'lt' ? -1 : 0);
  const rule = { id: 0, operator: 'gte', occupied_value: 0, occupied_value_to: null, order: 0 } as const;
  const { text } = decideDisplayText(
    { rules: [{ ...rule, display_text: form.text, start_ms: null, end_ms: null }], stale_text: '' },
    {
      ...withOccupied(
        countZones(counted.map(({ spot_count }) => ({ spot_count, occupied: 0 }))),
        Math.max(0, occupied),
      ),
      zone: zone_id === null ? '' : (counted[0]?.name ?? ''),
      lot: lots.value.find(({ id }) => id === lot_id)?.name ?? '',
      at_ms: 0,
    },
  );
  const label = words.displays.wouldRead(Math.max(0, occupied));
  return (
    <div>
      <p class="facts">{label}</p>
      <SignText text={text} label={label} />
    </div>
  );
}
