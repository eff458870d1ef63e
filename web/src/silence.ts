/** ms: an endless response that is silent for longer is dead. */
export const kMaxSilence = 6000;
