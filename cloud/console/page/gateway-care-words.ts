/** What is said of a gateway's look at itself and of its reset: few people open them. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadGatewayCareWords } from './rare-words.js';

export const gatewayCareWords = await neededPart(loadGatewayCareWords);
