/** On which devices the person is signed in, and the buttons that end it there. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { AskButton, Listed, Row } from './admin-parts.js';
import { timeOf } from './browser.js';
import { AsOf, useKeptUp } from './kept-up.js';
import { Notice } from './parts.js';
import { profileWords } from './profile-words.js';
import { client } from './session.js';
import { useRead } from './use-read.js';

const say = profileWords.signIns;
const PATH = '/v2/auth/sign-ins';

type SignIn = components['schemas']['SignIn'];

export function SignInsCard() {
  const signIns = useRead('sign-ins', (signal) => client().get(PATH, { signal }));
  useKeptUp(signIns, true);
  const done = useSignal('');
  const onEnded = (count: number) => {
    done.value = say.ended(count);
    signIns.again();
  };
  const endOthers = async () => onEnded((await client().delete(PATH, {})).ended_count);
  const hasOthers = signIns.found?.some(({ is_current }) => !is_current) === true;
  return (
    <section class="card sign-ins">
      <h2>{say.title}</h2>
      <p class="facts">{say.what}</p>
      <Listed list={signIns} row={(each) => <SignInRow key={each.id} signIn={each} onEnded={() => onEnded(1)} />} />
      <Notice text={done.value} />
      {hasOthers && (
        <AskButton
          label={say.endOthers}
          about={say.title}
          title={say.endOthersTitle}
          what={say.endWhat}
          call={{ method: 'DELETE', path: PATH }}
          onYes={endOthers}
        />
      )}
      <AsOf list={signIns} />
    </section>
  );
}

function SignInRow({ signIn, onEnded }: { signIn: SignIn; onEnded: () => void }) {
  const { id, created_at, last_used_at, is_current } = signIn;
  const device = signIn.device ?? say.unnamed;
  const end = async () => {
    await client().delete(`${PATH}/{id}`, { path: { id } });
    onEnded();
  };
  return (
    <Row
      name={device}
      tags={is_current && <span class="tag">{say.here}</span>}
      facts={[say.since(timeOf(created_at)), !is_current && say.used(timeOf(last_used_at))]}
      buttons={
        // This device signs out at the top of the page.
        !is_current && (
          <AskButton
            label={say.end}
            about={device}
            title={say.endTitle(device)}
            what={say.endWhat}
            call={{ method: 'DELETE', path: `${PATH}/${id}` }}
            onYes={end}
          />
        )
      }
    />
  );
}
