/** Promise 7: work that throws is published as failed, or as cancelled once its term has ended, and nothing else comes of it. */
import { properties } from '../simulation/properties.ts'

properties('07-failed-work-never-hurts-the-election')
