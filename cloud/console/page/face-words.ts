/** The words of how the account shows itself, which come with its form. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadFaceWords } from './rare-words.js';

export const faceWords = await neededPart(loadFaceWords);
