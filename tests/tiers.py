"""Which tests run when: `--tier fast`, `standard`, `all` or `soak`.

`fast` is what one runs after each change: no process over half a second, no browser, no agent's process. `standard`
adds the most telling of the slow tests, one or two for each promise. `all` has every promise; CI runs it. `soak` adds
further cases of the same promises, whose rules are tested by themselves; `make soak` runs those.

What TABLE does not name is fast. It names folders, files, tests, and cases of a test; the closest name counts.
"""

from collections.abc import Collection, Iterator

from hypothesis import settings

TIERS = ("fast", "standard", "all", "soak")
FEWER = 5
"""One of so many random examples is tried below `all`."""

STANDARD = """
tests/actions/test_agent_sessions.py
tests/actions/test_answers.py
tests/actions/test_asked_turns.py
tests/actions/test_bash_tasks.py
tests/actions/test_budgets.py
tests/actions/test_debug_message.py::test_the_first_message_holds_measured_suspects_and_names_the_tools
tests/actions/test_distant.py
tests/actions/test_environment.py::test_a_person_may_allow_it
tests/actions/test_foreign_documents.py
tests/actions/test_liars.py::test_a_deed_is_not_believed_and_leaves_a_line[deletes the test]
tests/actions/test_liars.py::test_a_deed_is_not_believed_and_leaves_a_line[empties the assertion]
tests/actions/test_liars.py::test_a_deed_is_not_believed_and_leaves_a_line[stands in for pytest]
tests/actions/test_liars_words.py::TestBehindTheBack::test_a_product_that_changes_under_the_tests
tests/actions/test_liars_words.py::TestTheEnginesOwnFiles::test_a_state_file_that_says_it_is_done
tests/actions/test_liars_words.py::test_files_that_it_did_not_change
tests/actions/test_messages.py::test_a_report_through_tools_and_one_as_text_give_the_same_state
tests/actions/test_messages.py::test_what_is_not_its_to_set_is_refused_through_either_door
tests/actions/test_messages.py::test_what_was_proposed_through_a_tool_outlives_a_report_that_was_forgotten
tests/actions/test_moments.py::test_stop_at_any_moment
tests/actions/test_out_of_time.py
tests/actions/test_parked.py
tests/actions/test_proof.py::test_a_proof_tells_what_its_tests_do_not_notice
tests/actions/test_replay.py::test_a_runner_that_died_dies_again
tests/actions/test_replay.py::test_what_people_did_meanwhile_happens_again
tests/actions/test_review.py
tests/actions/test_review.py::test_a_death_at_any_commit_loses_and_repeats_no_order[14]
tests/actions/test_review.py::test_a_death_at_any_commit_loses_and_repeats_no_order[9]
tests/actions/test_rivals.py
tests/actions/test_taken_over.py
tests/actions/test_told.py
tests/actions/test_troubles.py
tests/actions/test_validation.py
tests/agents/acp/test_misbehaving.py
tests/agents/acp/test_probe.py
tests/agents/acp/test_turns.py
tests/agents/acp/test_wire.py::test_whatever_comes_is_taken_told_or_answered
tests/agents/test_command.py
tests/cli/test_agent_choice.py::test_a_loop_whose_agent_has_gone_can_go_on_with_another
tests/cli/test_agent_choice.py::test_auto_without_any_agent_is_the_builtin_one_and_says_where_to_look
tests/cli/test_asking_agent.py::test_an_answer_from_another_terminal_takes_the_question_away
tests/cli/test_attempts.py::test_a_budget_holds_for_all_together
tests/cli/test_attempts.py::test_the_small_honest_one_wins
tests/cli/test_choose.py::test_what_a_loop_has_started_can_not_choose_for_it
tests/cli/test_cycle_commands.py
tests/cli/test_cycle_run.py::test_a_cycle_runs_to_its_end_and_tells_it_in_lines
tests/cli/test_debug.py::test_a_watched_line_as_json_beside_a_test_that_passes
tests/cli/test_doctor.py
tests/cli/test_documented.py
tests/cli/test_following.py::test_a_follower_does_not_wait_for_nobody
tests/cli/test_generate.py::test_an_agents_proposals_become_tasks
tests/cli/test_kept_answers.py
tests/cli/test_menu.py::test_status_develop_and_exit
tests/cli/test_parked.py::test_a_parked_loop_whose_runner_was_killed_waits_on_and_can_be_resumed
tests/cli/test_planted_secrets.py::test_nothing_that_a_run_leaves_tells_one
tests/cli/test_private_files.py::test_a_run_leaves_nothing_for_others
tests/cli/test_render.py::test_a_scene_is_never_wider_than_the_terminal
tests/cli/test_run.py::test_a_fix_is_verified
tests/cli/test_sandboxed_runs.py::test_one_that_is_not_there_is_an_error_before_anything_is_made
tests/cli/test_sandboxed_runs.py::test_what_tasks_try_outside_of_the_project_comes_to_nothing
tests/cli/test_serve.py::test_its_runners_hold_nothing_of_it_and_outlive_it
tests/cli/test_startup.py::test_a_list_loads_no_machinery
tests/cli/test_story.py::test_every_event_has_its_words
tests/cli/test_worktree_runs.py::TestApply::test_with_what_the_user_has_changed_elsewhere_in_the_file
tests/cli/test_worktree_runs.py::TestPullRequest::test_it_is_pushed_and_opened_with_what_was_measured
tests/cli/test_worktree_runs.py::test_a_commit_for_each_task
tests/cli/test_worktree_runs.py::test_the_users_tree_is_untouched_and_the_run_is_found_as_any_other
tests/cli/tunings/test_sessions.py::test_pages_fit_and_name_what_there_is
tests/contracts/test_depot_contract.py
tests/contracts/test_dispatcher_contract.py
tests/contracts/test_replica_contract.py
tests/contracts/test_runner_contract.py
tests/contracts/test_signals_contract.py
tests/contracts/test_workspace_contract.py
tests/crash/test_cycle_damage.py::test_what_the_user_added_is_not_lost
tests/crash/test_kill_runner.py::test_resume_all_takes_up_what_died
tests/crash/test_ownership.py::test_the_next_start_reaps_what_a_killed_runner_left_and_nothing_else
tests/crash/test_skill_rollback.py
tests/cycle/roles/test_documents.py::TestExtension::test_ra_is_told_of_it_and_rewrites_its_document
tests/cycle/roles/test_documents.py::test_one_that_never_writes_fails_and_what_the_others_did_stays
tests/cycle/roles/test_templates.py::test_a_whole_cycle
tests/cycle/roles/test_vas.py::test_the_summary_holds_what_was_measured_before_what_the_role_says
tests/cycle/roles/test_vas.py::test_what_the_role_objects_to_goes_back
tests/cycle/test_convergence.py::TestBlockers::test_ra_clarifies_it_in_the_next_iteration
tests/cycle/test_convergence.py::TestDecisions::test_without_a_terminal_it_waits_and_only_what_needs_the_answer_does
tests/cycle/test_convergence.py::TestExtensions::test_of_a_running_one_waits_for_the_border
tests/cycle/test_convergence.py::test_at_the_limit_it_says_so_and_can_be_opened_again_with_a_higher_one
tests/cycle/test_convergence.py::test_it_goes_on_until_it_is_clean_and_confirms_the_fix
tests/cycle/test_messages.py::test_every_order_of_a_whole_cycle_is_short
tests/cycle/test_misbehaving.py::TestBoasts::test_vas_says_all_is_well_while_tests_fail
tests/cycle/test_misbehaving.py::TestDeath::test_who_dies_is_started_again_and_told
tests/cycle/test_misbehaving.py::TestReports::test_the_report_of_another_phase_is_asked_for_again
tests/cycle/test_misbehaving_plans.py::test_two_roles_ask_for_permission_at_once_and_each_gets_its_own_answer
tests/cycle/test_misbehaving_writes.py::test_state_and_journal_are_the_engines_whoever_writes_them
tests/cycle/test_misbehaving_writes.py::test_what_a_role_that_only_reads_writes_to_the_project_is_put_back
tests/cycle/test_side_by_side.py::TestAtTheSameTime::test_the_analyst_and_the_explorer
tests/cycle/test_side_by_side.py::TestBrokenOff::test_a_runner_that_dies_after_a_merge_finds_what_was_in
tests/cycle/test_side_by_side.py::TestConflicts::test_the_same_line_goes_back_to_its_agent
tests/cycle/test_side_by_side.py::TestLanes::test_are_gone_when_the_cycle_is_over
tests/cycle/test_side_by_side.py::TestTestsAfterEachMerge::test_what_a_merge_broke_is_told_and_mended
tests/cycle/test_side_by_side.py::TestTheUser::test_who_edits_meanwhile_loses_nothing
tests/cycle/test_whole_cycle.py
tests/domain/test_any_course.py
tests/domain/test_cycle_sequences.py
tests/domain/test_model_check.py
tests/domain/test_tuning_sequences.py
tests/e2e/test_asked.py::test_a_person_in_another_process_allows_it
tests/e2e/test_builtin_agent.py::test_a_fault_is_found_and_fixed[calendar_unittest-workdays.py]
tests/e2e/test_builtin_agent.py::test_more_than_it_can_do_is_not_claimed
tests/e2e/test_cycle_builtin.py::test_the_main_job_with_all_its_documents_and_then_an_extension
tests/e2e/test_javascript.py::test_an_emptied_assertion_is_no_success
tests/e2e/test_liars.py::test_a_lying_command_is_found_out[changes the test]
tests/e2e/test_tune.py::test_a_sick_skill_is_diagnosed_mended_verified_and_put_back
tests/engine/test_permits.py::test_nobody_is_in_a_hurry
tests/engine/test_service.py
tests/engine/test_stall.py
tests/engine/test_transcript.py::test_every_message_and_every_turn_is_there
tests/fleet/test_commands.py::test_every_command_on_a_loop_reaches_it
tests/fleet/test_commands.py::test_whatever_kills_machines_each_command_is_carried_out_once_and_in_order[0]
tests/fleet/test_control.py::test_runs_that_rest_are_reached_and_queued_where_they_go_on
tests/fleet/test_depot.py::test_a_fetch_that_was_killed
tests/fleet/test_depot.py::test_every_kind_of_file_arrives_as_it_was
tests/fleet/test_depot.py::test_machines_push_at_the_same_time
tests/fleet/test_depot.py::test_nobody_is_asked_and_no_password_is_told
tests/fleet/test_depot.py::test_only_what_the_base_does_not_have_is_sent
tests/fleet/test_mirror_pieces.py::test_it_grows
tests/fleet/test_mirror_pieces.py::test_logs_come_and_go_on_elsewhere
tests/fleet/test_mirror_pieces.py::test_whatever_is_done_to_the_files_here[0]
tests/fleet/test_replica.py::test_any_course_over_a_line_that_breaks[0]
tests/fleet/test_replica.py::test_one_that_stands_still_for_a_moment_is_waited_for
tests/fleet/test_replica.py::test_what_a_killed_process_acknowledged_is_there_and_the_next_goes_on[0]
tests/fleet/test_worker.py::test_a_loop_goes_there_and_comes_back
tests/golden/test_json_shapes.py
tests/golden/test_messages.py::test_a_course_is_told_word_by_word
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-cycle-killed-in-cd]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-loop-torn-in-develop]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-tuning-waits-for-a-choice]
tests/golden/test_surfaces.py::test_surface
tests/incidents
tests/mcp/test_control.py::test_a_loop_from_its_start_to_its_proof
tests/mcp/test_control_http.py::test_two_callers_drive_one_loop
tests/mcp/test_control_tunings.py::test_a_skill_is_mended_from_start_to_end
tests/mcp/test_debug_tools.py::test_the_answers_are_told_in_words_and_typed
tests/mcp/test_report_server.py::test_a_full_disk_is_told_and_tears_nothing
tests/mcp/test_report_server.py::test_a_session_from_planning_to_debugging
tests/notify/test_command.py::test_one_that_hangs_is_ended_with_all_it_started
tests/notify/test_configured.py
tests/notify/test_heralding.py
tests/repair/test_changes.py
tests/repair/test_debugger.py::test_a_killed_engine_leaves_no_process
tests/repair/test_debugger.py::test_a_search_gives_verdicts_and_a_minimal_patch_and_leaves_the_project_alone
tests/repair/test_edits.py::test_edits_compile_or_are_dropped_and_touch_one_span_only[shared_basket]
tests/repair/test_edits.py::test_whatever_tests_hold_the_edits_can_be_made[shared_basket]
tests/repair/test_hard_cases.py::test_a_fault_that_waits_for_ever
tests/repair/test_hard_features.py::test_fixtures_classes_parameters_generators_and_coroutines
tests/repair/test_hard_projects.py::test_a_file_that_raises_when_it_is_loaded_beside_others
tests/repair/test_hard_sandbox.py::test_a_program_that_destroys_what_it_reaches
tests/repair/test_left_behind.py::test_candidates_that_empty_a_file_of_the_project
tests/repair/test_look.py::test_a_line_shows_its_variables_each_time_just_before_it_runs
tests/repair/test_look.py::test_statements_are_ranked_with_their_counts
tests/repair/test_marks.py
tests/repair/test_mutating.py::test_an_equivalent_mutant_survives_and_what_no_test_runs_is_told
tests/repair/test_rivals.py::test_edits_that_the_tests_can_not_tell_apart_are_told_with_the_call_that_can
tests/server/test_assets.py::test_building_again_gives_the_same_bytes
tests/server/test_attacks_bodies.py
tests/server/test_attacks_doors.py
tests/server/test_attacks_files.py
tests/server/test_attacks_wire.py
tests/server/test_closer.py::test_a_loop_is_paused_resumed_and_stopped_while_it_runs
tests/server/test_cycle_closer.py::test_its_steps
tests/server/test_cycle_stream.py
tests/server/test_description.py
tests/server/test_keeping.py
tests/server/test_stream.py
tests/server/test_together.py::test_what_was_told_outlives_a_kill[0]
tests/server/test_tunings.py
tests/store/test_crash.py
tests/store/test_kept_index.py::test_no_deed_makes_a_difference
tests/store/test_processes.py::test_a_killed_writer_loses_nothing_it_acknowledged
tests/store/test_runner_memory.py
tests/store/test_soaks.py::test_part[forging]
tests/store/test_soaks.py::test_part[outside]
tests/store/test_tampered_loops.py::test_an_agent_that_removes_the_folder_loses_nothing[rm -rf .workflow]
tests/store/test_tampered_loops.py::test_what_is_forged_at_rest_misleads_until_the_next_validation_only
tests/survey/test_project.py::TestHostileTrees::test_five_thousand_files
tests/test_architecture.py::test_every_module_keeps_the_rules
tests/test_call_depth.py
tests/test_outside.py::test_a_hostile_environment_changes_nothing
tests/together/test_signals.py::test_the_same_id_in_two_projects
tests/together/test_together.py::test_two_loops_that_change_the_same_tree
tests/tune/review/test_killed.py
tests/tune/session/test_agents.py
tests/tune/session/test_trouble.py
tests/tune/test_fuzz.py::test_a_reference_of_200_kb_is_diagnosed
tests/validation/cargo/test_cargo.py::TestReal::test_a_run
tests/validation/go/test_go.py::TestReal::test_a_run
tests/validation/javascript/test_javascript.py::test_every_ending_has_its_status_and_its_words[node]
tests/validation/maven/test_maven.py::test_a_real_run
tests/validation/python/test_pytest.py::test_a_run_leaves_no_trace
tests/validation/python/test_pytest.py::test_every_ending_has_its_status
tests/validation/python/test_reach.py
tests/validation/python/test_tracing.py::test_every_line_is_seen_at_whatever_moment_it_runs
tests/validation/python/test_sources.py::test_what_changes_a_digest[a helper of the module]
tests/validation/python/test_unittest.py::test_every_ending_has_its_status
tests/validation/recording/test_shims.py::TestStandIn
tests/validation/runners/test_make.py::TestMake::test_a_framework_that_dies_is_not_hidden_by_one_that_passes
tests/validation/runners/test_make.py::TestMake::test_pytest
tests/validation/test_endless.py::test_it_is_ended_alone[computes-pytest]
tests/validation/test_run.py::test_leaving_pytest_early_hides_nothing
tests/validation/test_run.py::test_tests_that_are_done_and_do_not_exit_are_ended_and_their_results_stand
tests/workspace/test_capture.py
tests/workspace/test_confinement.py
tests/workspace/test_engine_attacks.py
tests/workspace/test_ending.py
tests/workspace/test_git.py
tests/workspace/test_merging.py
tests/workspace/test_owning.py
tests/workspace/test_patience.py
tests/workspace/test_process.py
tests/workspace/test_worktrees.py
"""
"""The most telling of the slow ones, and what takes a second or two itself."""

ALL = """
tests/actions/test_any_trouble.py
tests/actions/test_debug_message.py
tests/actions/test_environment.py
tests/actions/test_liars.py
tests/actions/test_liars_words.py
tests/actions/test_moments.py
tests/actions/test_out_of_time.py::test_who_can_not_be_cut_off_is_closed
tests/actions/test_out_of_time.py::test_who_does_not_wrap_up_is_closed_and_the_action_tried_again
tests/actions/test_proof.py
tests/actions/test_replay.py
tests/actions/test_review.py::test_a_death_at_any_commit_loses_and_repeats_no_order
tests/actions/test_selected.py::test_no_course_of_changes_ends_on_selected_tests
tests/actions/test_told.py::test_at_random_moments_with_kills_between
tests/actions/test_trials.py
tests/agents_real
tests/agents_real/test_cycle.py::test_two_iterations_and_a_killed_runner_in_the_same_sessions[mixed]
tests/agents_real/test_choosing.py::test_a_resumed_loop_goes_on_with_another_model_in_the_same_session[codex]
tests/agents_real/test_choosing.py::test_what_an_agent_does_not_offer_is_refused_before_anything_is_done[codex]
tests/agents_real/test_choosing.py::test_what_is_chosen_is_asked_for_recorded_and_shown[qwen]
tests/agents_real/test_fleet.py::test_it_asks_and_is_told_from_afar_and_nothing_of_it_outlives_its_machine[codex]
tests/agents_real/test_loops.py::test_a_feature_and_a_fix_in_one_session[gemini]
tests/agents_real/test_loops.py::test_doctor_finds_it_ready[codex]
tests/agents_real/test_proof.py::test_its_loop_ends_as_it_should[a test that passes without the change-codex]
tests/agents_real/test_proof.py::test_what_its_shell_does_to_the_environment[sitecustomize]
tests/agents_real/test_requests.py::test_every_message_reaches_the_model_whole[codex-loop]
tests/agents_real/test_requests.py::test_every_message_reaches_the_model_whole[codex-cycle]
tests/agents_real/test_requests.py::test_every_message_reaches_the_model_whole[opencode-loop]
tests/agents_real/test_roles.py::test_a_reading_role_writes_its_documents_and_reports[codex]
tests/agents_real/test_roles.py::test_a_working_role_changes_the_project_and_keeps_notes[codex]
tests/agents_real/test_sandbox.py::test_a_feature_and_a_fix_in_a_sandbox[codex-landlock]
tests/agents_real/test_sandbox.py::test_a_feature_and_a_fix_in_a_sandbox[gemini-landlock]
tests/agents_real/test_told.py::test_it_reaches_the_model_once[codex]
tests/agents_real/test_trouble.py::test_a_budget_of_tokens_ends_a_turn_that_would_not_end[codex]
tests/agents_real/test_trouble.py::test_a_budget_of_tokens_ends_a_turn_that_would_not_end[opencode]
tests/agents_real/test_trouble.py::test_a_refused_key_pauses_the_loop_with_what_to_do[codex]
tests/agents_real/test_trouble.py::test_a_stop_in_the_middle_of_a_command_leaves_nothing[gemini]
tests/agents_real/test_trouble.py::test_an_agent_that_is_killed_is_started_again[codex-0]
tests/agents_real/test_trouble.py::test_read_only_writes_nothing_and_says_so[qwen]
tests/agents_real/test_trouble.py::test_what_a_killed_runner_has_left_is_ended_by_the_next[codex]
tests/agents_real/test_trouble.py::test_what_is_asked_is_answered_from_another_terminal[codex]
tests/agents_real/test_unruly.py::test_its_loop_ends_as_it_should[chinese-qwen]
tests/agents_real/test_unruly.py::test_its_loop_ends_as_it_should[no contract-codex]
tests/browser
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[sitecustomize in the virtual environment]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a plugin of pytest by an entry point]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[usercustomize in the home folder]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[python3 earlier on the path]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[an ignored test that patches]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a compiled module in a library's place]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[the product is a link out of the project]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[our plugin, written directly]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[node among the commands of packages]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a filter that shows git another test]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[another repository in the place of the project's]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[the private repository has other first tests]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[the journal says that it is done]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a task that may change tests, added from elsewhere]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[good code while the tests run]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[bad code after the success]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[equal to everything]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[only where pytest is loaded]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[the probe's log written by the product]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[tests that a former loop has emptied]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[golden values]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a helper module of JavaScript]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a variable of the Makefile]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a script that writes JUnit]
tests/attacks/test_attacks.py::test_a_broken_product_is_not_called_done[a pretest script that rewrites the tests]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[the fix, with unittest]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[the fix, and a dependency that is installed and named]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[the fix, and a package of node that is locked]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[tests that need an ignored file of the person]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[a person's new tests that are not committed]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[a data file of the product]
tests/attacks/test_attacks.py::test_honest_work_is_not_refused[a new case for a new test]
tests/cli/test_agent_choice.py
tests/cli/test_asking_agent.py
tests/cli/test_choose.py
tests/cli/test_cycle_run.py
tests/cli/test_debug.py
tests/cli/test_following.py
tests/cli/test_generate.py
tests/cli/test_menu.py
tests/cli/test_parked.py
tests/cli/test_planted_secrets.py
tests/cli/test_run.py
tests/cli/test_sandboxed_runs.py
tests/cli/test_serve.py
tests/cli/test_startup.py
tests/cli/test_attempts.py
tests/cli/test_worktree_runs.py
tests/cli/tunings/test_sessions.py
tests/crash
tests/crash/test_cycle_damage.py::test_a_damaged_cycle_comes_to_its_right_end[bad_line-in the first iteration]
tests/crash/test_cycle_damage.py::test_a_damaged_cycle_comes_to_its_right_end[torn_documents-in the second iteration]
tests/crash/test_cycle_damage.py::test_a_damaged_cycle_comes_to_its_right_end[torn_plan-in the first iteration]
tests/crash/test_cycle_damage.py::test_a_damaged_cycle_comes_to_its_right_end[torn_tail-in the second iteration]
tests/cycle/roles/test_documents.py
tests/cycle/roles/test_documents.py::TestPlan::test_what_is_wrong_is_told_and_asked_for_again[plan2-depend on each other]
tests/cycle/roles/test_documents.py::test_what_can_not_be_read_is_named[pipes-requirements.md is not a regular file]
tests/cycle/roles/test_documents.py::test_what_can_not_be_read_is_named[play-longer than 100,000 characters]
tests/cycle/roles/test_templates.py
tests/cycle/roles/test_vas.py
tests/cycle/test_control.py
tests/cycle/test_convergence.py
tests/cycle/test_convergence.py::test_what_was_measured_is_an_issue_however_all_report_success[failing]
tests/cycle/test_convergence.py::test_what_was_measured_is_an_issue_however_all_report_success[vanished]
tests/cycle/test_debugging.py
tests/cycle/test_five_at_once.py
tests/cycle/test_misbehaving.py
tests/cycle/test_misbehaving.py::TestDeath::test_the_next_iteration_tries_again[cd.implement]
tests/cycle/test_misbehaving.py::TestDeath::test_who_always_dies_is_settled_as_failed_and_the_others_go_on[ep.explore]
tests/cycle/test_misbehaving.py::TestDeath::test_who_always_dies_is_settled_as_failed_and_the_others_go_on[vas.validate]
tests/cycle/test_misbehaving_plans.py
tests/cycle/test_misbehaving_plans.py::test_a_plan_that_can_not_be_carried_out_is_asked_for_again_with_what_is_wrong[a circle]
tests/cycle/test_misbehaving_plans.py::test_a_plan_that_can_not_be_carried_out_is_asked_for_again_with_what_is_wrong[a file outside]
tests/cycle/test_misbehaving_writes.py
tests/cycle/test_misbehaving_writes.py::test_what_never_is_one_fails_the_role_and_is_never_written_through[ra.analyse-too much]
tests/cycle/test_misbehaving_writes.py::test_what_never_is_one_fails_the_role_and_is_never_written_through[vas.validate-a link]
tests/cycle/test_proof.py
tests/cycle/test_proof.py::test_a_goal_that_nothing_shows_is_not_called_reached[a test that passes without the change]
tests/cycle/test_proof.py::test_what_was_done_is_recognised[a document nobody decided on]
tests/cycle/test_proof.py::test_what_was_done_is_recognised[a function with its test]
tests/cycle/test_seed_walk.py
tests/cycle/test_side_by_side.py
tests/domain/test_model_check.py::test_every_course_ends_within_its_bound_and_rightly[an agent that writes]
tests/domain/test_model_check.py::test_every_course_ends_within_its_bound_and_rightly[two tasks of the API's]
tests/domain/test_secrets.py::test_a_flood_takes_linear_time
tests/e2e
tests/fleet
tests/together
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused
tests/mcp/test_control.py
tests/mcp/test_control_cycles.py
tests/mcp/test_control_debugging.py
tests/mcp/test_control_http.py
tests/mcp/test_control_tunings.py
tests/mcp/test_debug_tools.py
tests/mcp/test_report_server.py
tests/repair/test_corpus.py
tests/repair/test_debugger.py
tests/repair/test_edits.py::test_edits_compile_or_are_dropped_and_touch_one_span_only
tests/repair/test_edits.py::test_whatever_tests_hold_the_edits_can_be_made
tests/repair/test_hard_cases.py
tests/repair/test_hard_features.py
tests/repair/test_hard_projects.py
tests/repair/test_hard_sandbox.py
tests/repair/test_kept.py
tests/repair/test_left_behind.py
tests/repair/test_look.py
tests/repair/test_mutating.py
tests/repair/test_other_pytests.py
tests/repair/test_other_pythons.py
tests/repair/test_pairs.py
tests/repair/test_rivals.py
tests/repair/test_trials.py
tests/repair/test_values.py::test_a_search_needs_no_fresh_import_for_a_table
tests/repair/test_values.py::test_nor_for_a_default
tests/server/test_closer.py
tests/server/test_cycle_closer.py
tests/server/test_schema.py
tests/server/test_stream_lost.py
tests/server/test_together.py::test_what_was_told_outlives_a_kill
tests/store/test_processes.py
tests/store/test_soaks.py
tests/store/test_tampered_loops.py
tests/validation/cargo/test_cargo.py::TestReal
tests/validation/go/test_go.py::TestReal
tests/validation/javascript/test_javascript.py
tests/validation/python/test_pytest.py
tests/validation/python/test_sources.py::test_what_changes_a_digest
tests/validation/python/test_unittest.py
tests/validation/runners/test_make.py::TestMake
tests/validation/runners/test_make.py::TestReports
tests/validation/runners/test_make.py::TestSeveral
tests/validation/test_endless.py
tests/validation/test_endless.py::test_it_is_ended_alone[computes-unittest]
tests/validation/test_endless.py::test_it_is_ended_alone[swallows what is raised-unittest]
tests/validation/test_endless.py::test_it_is_ended_alone[took the signal away-unittest]
tests/validation/test_endless.py::test_it_is_ended_alone[waits for a program-pytest]
tests/validation/test_endless.py::test_it_is_ended_alone[waits where no signal is heard-pytest]
tests/validation/test_run.py
tests/workspace/test_branches.py::test_killed_at_any_command
tests/workspace/test_killed_in_a_lane.py
"""  # noqa: E501
"""What is slow, but for what STANDARD names of it."""

SOAK = """
tests/agents_real/test_choosing.py
tests/agents_real/test_cycle.py::test_an_extension_of_a_running_cycle_is_taken_at_the_border
tests/agents_real/test_cycle.py::test_two_iterations_and_a_killed_runner_in_the_same_sessions
tests/agents_real/test_debugger.py::test_a_fault_is_measured_before_it_is_mended[opencode]
tests/agents_real/test_fleet.py::test_it_asks_and_is_told_from_afar_and_nothing_of_it_outlives_its_machine
tests/agents_real/test_loops.py::test_a_feature_and_a_fix_in_one_session
tests/agents_real/test_loops.py::test_doctor_finds_it_ready
tests/agents_real/test_proof.py::test_its_loop_ends_as_it_should
tests/agents_real/test_proof.py::test_what_its_shell_does_to_the_environment
tests/agents_real/test_real_agents.py::test_a_cancelled_command_and_a_refused_key_leave_a_working_session_and_no_process[opencode]
tests/agents_real/test_real_agents.py::test_a_cancelled_command_and_a_refused_key_leave_a_working_session_and_no_process[qwen]
tests/agents_real/test_real_agents.py::test_a_new_process_loads_the_session_of_a_killed_one[opencode]
tests/agents_real/test_real_agents.py::test_a_new_process_loads_the_session_of_a_killed_one[qwen]
tests/agents_real/test_requests.py::test_every_message_reaches_the_model_whole
tests/agents_real/test_review.py::test_only_what_can_be_shown_is_confirmed[opencode]
tests/agents_real/test_roles.py::test_a_reading_role_writes_its_documents_and_reports
tests/agents_real/test_roles.py::test_a_working_role_changes_the_project_and_keeps_notes
tests/agents_real/test_sandbox.py::test_a_feature_and_a_fix_in_a_sandbox
tests/agents_real/test_told.py::test_it_reaches_the_model_once
tests/agents_real/test_trouble.py::test_a_budget_of_tokens_ends_a_turn_that_would_not_end
tests/agents_real/test_trouble.py::test_a_rate_limit_is_waited_for
tests/agents_real/test_trouble.py::test_a_refused_key_pauses_the_loop_with_what_to_do
tests/agents_real/test_trouble.py::test_a_stop_in_the_middle_of_a_command_leaves_nothing
tests/agents_real/test_trouble.py::test_an_agent_that_is_killed_is_started_again
tests/agents_real/test_trouble.py::test_read_only_writes_nothing_and_says_so
tests/agents_real/test_trouble.py::test_what_a_killed_runner_has_left_is_ended_by_the_next
tests/agents_real/test_trouble.py::test_what_is_asked_is_answered_from_another_terminal
tests/agents_real/test_unruly.py::test_its_loop_ends_as_it_should
tests/agents_real/test_work_review.py::test_a_second_agent_reads_objects_and_is_answered[opencode-codex]
tests/agents_real/test_worktree.py::test_a_feature_and_a_fix_each_in_a_commit[opencode]
tests/attacks/test_attacks.py
tests/crash/test_cycle_damage.py::test_a_damaged_cycle_comes_to_its_right_end
tests/crash/test_ownership.py::test_stop_ends_a_deaf_or_hanging_runner_with_all_that_hides[False]
tests/cycle/roles/test_documents.py::TestPlan::test_what_is_wrong_is_told_and_asked_for_again
tests/cycle/roles/test_documents.py::test_what_can_not_be_read_is_named
tests/cycle/test_control.py::test_whatever_a_person_says_at_any_moment[1]
tests/cycle/test_control.py::test_whatever_a_person_says_at_any_moment[2]
tests/cycle/test_convergence.py::TestBlockers::test_a_person_settles_it_after_the_end[False]
tests/cycle/test_convergence.py::TestDecisions::test_auto_makes_it_and_says_so[which? | left | right-left]
tests/cycle/test_convergence.py::TestDecisions::test_auto_makes_it_and_says_so[which?-as the role sees fit]
tests/cycle/test_convergence.py::TestExtensions::test_of_a_finished_cycle[5]
tests/cycle/test_convergence.py::test_coverage_is_required_and_measured[None-coverage could not be measured, 80 % is required]
tests/cycle/test_convergence.py::test_what_was_measured_is_an_issue_however_all_report_success
tests/cycle/test_misbehaving.py::TestDeath::test_the_next_iteration_tries_again
tests/cycle/test_misbehaving.py::TestDeath::test_who_always_dies_is_settled_as_failed_and_the_others_go_on
tests/cycle/test_misbehaving.py::TestReports::test_who_only_talks_nonsense_fails[ep.plan]
tests/cycle/test_misbehaving.py::TestTime::test_who_always_hangs_is_settled_as_failed[ep.explore]
tests/cycle/test_misbehaving_plans.py::test_a_plan_that_can_not_be_carried_out_is_asked_for_again_with_what_is_wrong
tests/cycle/test_misbehaving_plans.py::test_invented_ids_in_blockers_and_decisions_hold_nobody_for_ever[ep.plan]
tests/cycle/test_misbehaving_writes.py::test_cd_deletes_the_roles_folders[1]
tests/cycle/test_misbehaving_writes.py::test_what_is_no_document_is_asked_for_again[ra]
tests/cycle/test_misbehaving_writes.py::test_what_never_is_one_fails_the_role_and_is_never_written_through
tests/cycle/test_proof.py::test_a_goal_that_nothing_shows_is_not_called_reached
tests/cycle/test_proof.py::test_what_was_done_is_recognised
tests/cycle/test_side_by_side.py::TestAtTheSameTime::test_as_many_tasks_as_are_allowed[2]
tests/cycle/test_side_by_side.py::TestConflicts::test_one_deletes_what_the_other_edits[edited]
tests/domain/test_model_check.py::test_every_course_ends_within_its_bound_and_rightly[an agent that only debugs]
tests/e2e/test_builtin_agent.py::test_a_fault_is_found_and_fixed[ledger-ledger.py]
tests/e2e/test_javascript.py::test_a_repair_is_measured_and_done[shop_jest-src/cart.js]
tests/e2e/test_javascript.py::test_a_repair_is_measured_and_done[shop_node-src/cart.js]
tests/e2e/test_javascript.py::test_what_stays_broken_is_named[shop_node-src/cart.js]
tests/e2e/test_javascript.py::test_what_stays_broken_is_named[shop_vitest-src/cart.ts]
tests/e2e/test_liars.py::test_a_loop_can_not_lift_the_checks_on_its_own_work[tasks "$LOOPWRIGHT_LOOP" add "more" --tool bash --command true --allow-test-changes]
tests/e2e/test_liars.py::test_a_lying_command_is_found_out[forges the state]
tests/e2e/test_liars.py::test_a_lying_command_is_found_out[mends, and removes .workflow]
tests/e2e/test_seed_files.py::test_one_that_would_ask_is_started_without_asking[None]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-cycle-failed]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-cycle-paused-before-ep]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-cycle-torn-in-vas]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-loop-failed]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-loop-paused-in-develop]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-loop-paused-in-init]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-tuning-killed-in-a-review]
tests/golden/test_stored_runs.py::test_it_goes_on_to_its_end_and_a_finished_one_is_refused[0.1.0-tuning-succeeded]
tests/mcp/test_debug_tools.py::test_who_may_not_run_commands_only_looks[ask]
tests/repair/test_corpus.py::test_mended_and_right_beyond_its_tests[missing_return]
tests/repair/test_corpus.py::test_mended_and_right_beyond_its_tests[return_in_loop]
tests/repair/test_corpus.py::test_what_can_not_be_mended_is_said[unfixable]
tests/repair/test_hard_projects.py::test_a_conftest_that_does_not_load[import sys\\n\\nsys.exit(7)\\n-SystemExit: 7]
tests/repair/test_hard_projects.py::test_a_conftest_that_does_not_load[raise RuntimeError('no database')\\n-no database]
tests/repair/test_hard_projects.py::test_a_program_that_ends_or_hangs_while_it_is_loaded[import os; os._exit(5)-exit status 5]
tests/repair/test_hard_projects.py::test_a_program_that_ends_or_hangs_while_it_is_loaded[import time; time.sleep(10**6)-did not end in time]
tests/repair/test_other_pytests.py::test_another_pytest_is_told_and_replaced[newer]
tests/repair/test_other_pythons.py::test_a_fault_is_found_and_mended_without_a_pytest_of_its_own[3.12]
tests/repair/test_other_pythons.py::test_the_lines_that_ran_are_those_that_we_see[3.12]
tests/repair/test_pairs.py::test_what_helps_some_tests_is_the_base_of_what_helps_all[again]
tests/test_outside.py::test_a_hostile_environment_changes_nothing[0]
tests/validation/javascript/test_javascript.py::TestWrappers::test_results_come_through[-make test]
tests/validation/javascript/test_javascript.py::TestWrappers::test_results_come_through[-npm run check]
tests/validation/javascript/test_javascript.py::TestWrappers::test_results_come_through[-yarn test]
tests/validation/python/test_sources.py::test_what_changes_a_digest[a constant that a helper names]
tests/validation/python/test_sources.py::test_what_changes_a_digest[a constant that may do something]
tests/validation/python/test_sources.py::test_what_changes_a_digest[a mark for all]
tests/validation/python/test_sources.py::test_what_changes_a_digest[a method of the class]
tests/validation/python/test_sources.py::test_what_changes_a_digest[a setting]
tests/validation/python/test_sources.py::test_what_changes_a_digest[one more case]
tests/validation/python/test_sources.py::test_what_changes_a_digest[what a conftest does]
tests/validation/test_endless.py::test_it_is_ended_alone
"""  # noqa: E501
"""What shows once more, at length, what others show; of a test named here, ALL names the cases that say most."""

TABLE: dict[str, str] = {
    name: tier
    for tier, names in (("standard", STANDARD), ("all", ALL), ("soak", SOAK))
    for name in names.strip().splitlines()
}


def tier_of(id: str) -> str:
    """Of a test by its node id, or of a file or folder by its path below the project."""
    return next((TABLE[name] for name in _names(id) if name in TABLE), TIERS[0])


def runs(id: str, tier: str) -> bool:
    return TIERS.index(tier_of(id)) <= TIERS.index(tier)


def misnamed(ids: Collection[str]) -> list[str]:
    """Cases that the table names of a test that is among these, and that this test does not have."""
    tests = {id.partition("[")[0] for id in ids}
    return [name for name in TABLE if "[" in name and name.partition("[")[0] in tests and name not in ids]


def has_any(path: str, tier: str) -> bool:
    """Whether a file or folder may hold tests of a tier: if not, it need not even be read."""
    within = (f"{path}/", f"{path}::")
    return runs(path, tier) or any(name.startswith(within) and runs(name, tier) for name in TABLE)


def _names(id: str) -> Iterator[str]:
    """From the case to the folder at the top."""
    yield id
    path, _, test = id.partition("::")
    test = test.partition("[")[0]
    while test:
        yield f"{path}::{test}"
        test = test.rpartition("::")[0]
    while path:
        yield path
        path = path.rpartition("/")[0]


def choose(tier: str) -> None:
    """How many random examples are tried; before any test is loaded."""
    settings.register_profile("fast", max_examples=settings().max_examples // FEWER, deadline=None)
    settings.register_profile("full", deadline=None)
    settings.load_profile("fast" if tier in ("fast", "standard") else "full")


def examples(full: int) -> int:
    """For a property with a number of its own: that many, or fewer in the lower tiers."""
    return full if settings.get_current_profile_name() != "fast" else max(1, full // FEWER)
