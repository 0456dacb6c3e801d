/** The sites of the benchmark of real changes: documentation that was published in two consecutive versions. */

export interface VersionPair {
  readonly name: string;
  /** `maven`: the javadoc jar of these coordinates. `npm`: the pages below `folder` of the package. */
  readonly from: 'maven' | 'npm';
  readonly artifact: string;
  readonly versions: readonly [before: string, after: string];
  readonly folder?: string;
}

const javadoc = (artifact: string, ...versions: [string, string]): VersionPair => ({
  name: artifact.split(':')[1]!,
  from: 'maven',
  artifact,
  versions,
});

export const VERSION_PAIRS: readonly VersionPair[] = [
  javadoc('com.google.guava:guava', '32.1.2-jre', '32.1.3-jre'),
  javadoc('org.apache.commons:commons-lang3', '3.13.0', '3.14.0'),
  javadoc('com.fasterxml.jackson.core:jackson-databind', '2.15.3', '2.16.0'),
  javadoc('org.junit.jupiter:junit-jupiter-api', '5.10.0', '5.10.1'),
  javadoc('com.google.code.gson:gson', '2.10', '2.10.1'),
  javadoc('commons-io:commons-io', '2.14.0', '2.15.0'),
  javadoc('org.slf4j:slf4j-api', '2.0.9', '2.0.10'),
  javadoc('org.apache.httpcomponents.client5:httpclient5', '5.2.1', '5.2.2'),
  { name: 'paper', from: 'npm', artifact: 'paper', versions: ['0.12.11', '0.12.17'] },
  { name: 'foundation-sites', from: 'npm', artifact: 'foundation-sites', versions: ['6.6.3', '6.7.5'] },
];
