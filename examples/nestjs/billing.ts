/** A job in 16 partitions, spread over all instances: each run bills the next period of its partition. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Inject, Injectable, Logger } from '@nestjs/common'
import type { Term } from 'simba-xstate'
import { SimbaPartitioned } from 'simba-xstate/decorators'
import { Ledger } from './ledger.ts'

/** What a run takes, and what it must have left to begin its last step. */
const INVOICES_MS = 200
const WRITE_MS = 100

@Injectable()
export class Billing {
  readonly #logger = new Logger(Billing.name)

  constructor(@Inject(Ledger) private readonly ledger: Ledger) {}

  @SimbaPartitioned({ group: 'billing', partitions: '${billing.partitions:16}', fixedRate: '${billing.every:5s}' })
  async bill(term: Term, partition: number): Promise<void> {
    const account = `billing.${partition}`
    // The ledger says what is done, so that a run that is repeated bills nothing twice.
    const period = (await this.ledger.count(account)) + 1
    this.#logger.log(`${account} period ${period} begins`)
    await sleep(INVOICES_MS)
    // A run that was told to end meanwhile is finished all the same, if its term has time left. If not, the next leader bills the period.
    if (term.remainingMs < WRITE_MS) return
    await this.ledger.append(account, { number: period }, term.token)
    this.#logger.log(`${account} period ${period} is written`)
  }
}
