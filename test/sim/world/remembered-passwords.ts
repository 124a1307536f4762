/** Passwords for tests that set many: each is hashed and compared once per process, at the cost that ships, and remembered. */
import { createPasswords, type Passwords } from '../../../cloud/secrets/passwords.js';

const passwords = createPasswords();
const answers = new Map<string, Promise<string> | Promise<boolean>>();

function remembered<Answer extends Promise<string> | Promise<boolean>>(key: string[], ask: () => Answer): Answer {
  const name = JSON.stringify(key);
  const known = answers.get(name) as Answer | undefined;
  if (known !== undefined) return known;
  const answer = ask();
  answers.set(name, answer);
  return answer;
}

export const rememberedPasswords: Passwords = {
  hash: (password) => remembered(['hash', password], () => passwords.hash(password)),
  verify: (password, passwordHash) =>
    remembered(['verify', password, passwordHash ?? ''], () => passwords.verify(password, passwordHash)),
};
