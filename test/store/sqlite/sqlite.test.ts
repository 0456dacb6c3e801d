import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from '../contract.ts';

storeContract('SQLite', openSqliteStore);
