/** The door to keys, passwords and the files of TLS. */
export { isDatedWord } from './dated-words.js';
export { isCommonPassword } from './guessable-passwords.js';
export {
  generateCode,
  generateCredentialId,
  generateToken,
  generateWeblinkId,
} from './generated-secrets.js';
export type { Passwords } from './passwords.js';
export { CertificateError, issueCertificate, type MadeFiles, makeAuthority } from './private-ca.js';
export { requireServerKey } from './require-server-key.js';
export { createSecrets, hashToken, type SealPurpose, type Secrets } from './secrets.js';
export { copyServerKeys, loadServerKey } from './server-key.js';
export { readAuthority, type TlsFiles } from './tls-files.js';
export { isWeakKey } from './weak-keys.js';
