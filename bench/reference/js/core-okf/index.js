// Stands in for a package that the reference engine imports and npm does not have. Only what a read calls is more
// than a name: the facts here were verified by nobody and grow stale never.
const nothing = () => undefined;
export const isStaleAfter = (moment, now) => moment != null && now >= moment;
export const deriveTrustTier = (verified) => (verified?.length ? "machine-confirmed" : "unverified");
export const latestVerified = () => null;
export {
  nothing as appendEventIdComment, nothing as appendRelatedSection, nothing as buildConceptDocument,
  nothing as buildEntityIndexMd, nothing as buildLogMd, nothing as buildRootIndexMd, nothing as extractMarkdownLinks,
  nothing as formatSourcesJson, nothing as isAllowedOkfPath, nothing as parseCitationsList, nothing as parseConcept,
  nothing as parseEntityIndexMd, nothing as parseEventIdComment, nothing as parseLogMd, nothing as parseRootIndexMd,
  nothing as parseVerifiedFlexible, nothing as splitRelatedSection,
};
