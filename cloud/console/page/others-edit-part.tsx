/** Says what somebody else saved while a thing was edited. Of a field that both changed, both values stand there to choose from. */
import { timeOf, words } from './browser.js';
import type { FieldTexts } from './fields.js';
import { Button } from './parts.js';
import type { OthersEdit } from './use-version.js';

export function OthersEditPart<Form extends object>(props: {
  others: OthersEdit<Form>;
  form: Form;
  set: (changed: Partial<Form>) => void;
  texts: FieldTexts;
}) {
  const { others, form, set, texts } = props;
  const { mine, theirs, adopted, clashes, at, by } = others;
  const say = words.forms;
  const labelOf = (key: string) => texts.get(key)?.label ?? key;
  const textOf = (key: keyof Form & string, of: Form) => texts.get(key)?.textOf(of[key]) ?? String(of[key]);
  const isChosen = (key: keyof Form & string, of: Form) => JSON.stringify(form[key]) === JSON.stringify(of[key]);
  const choose = (key: keyof Form & string, of: Form) => set({ [key]: of[key] } as unknown as Partial<Form>);
  return (
    <div class="notice bad others-edit" role="alert">
      <p>{say.changedMeanwhile(by, timeOf(at))}</p>
      {clashes.length > 0 && <p>{say.chooseOne}</p>}
      <ul>
        {clashes.map((key) => (
          <li key={key}>
            {labelOf(key)}:{' '}
            {([theirs, mine] as const).map((of) => (
              <Button
                key={of === mine ? 'mine' : 'theirs'}
                look="small"
                word={`${of === mine ? say.mine : say.theirs}: ${textOf(key, of) || '–'}`}
                isPressed={isChosen(key, of)}
                onClick={() => choose(key, of)}
              />
            ))}
          </li>
        ))}
        {adopted.map((key) => (
          <li key={key}>
            {labelOf(key)}: {textOf(key, theirs) || '–'} ({say.adopted})
          </li>
        ))}
      </ul>
    </div>
  );
}
