"""Addresses of the pages."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.i18n import set_language

from nav_eval_server.web import entries, organisers, people, spectators, teams
from nav_eval_server.web.rate_limit import limited

urlpatterns = [
    path("", spectators.front, name="front"),
    path("healthz", spectators.healthz, name="healthz"),
    path("board/<slug:phase>/", spectators.board, name="board"),
    path("entries/<str:key>/", entries.entry, name="entry"),
    path("entries/<str:key>/report/", entries.report, name="entry_report"),
    path("entries/<str:key>/files/<str:name>", entries.file, name="entry_file"),
    path("entries/<str:key>/archive.zip", entries.archive, name="entry_archive"),
    path("language/", set_language, name="set_language"),
    path("signup/", limited("signup", 30, people.signup), name="signup"),
    path("login/", limited("login", 60, people.Login.as_view()), name="login"),
    path("login/code/", limited("login", 60, people.code), name="code"),
    path("login/forgotten/", limited("forgotten", 30, people.forgotten), name="forgotten"),
    path("login/new/<str:uidb64>/<str:token>/", people.NewPassword.as_view(), name="new_password"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", people.account, name="account"),
    path("account/password/", people.Password.as_view(), name="password"),
    path("account/second/", people.second, name="second"),
    path("account/second/off/", people.second_off, name="second_off"),
    path("account/export/", people.export, name="export"),
    path("account/erase/", people.erase, name="erase"),
    path("team/", teams.home, name="team"),
    path("team/join/<str:invitation>/", teams.join, name="join"),
    path("team/members/<int:pk>/remove/", teams.remove_member, name="remove_member"),
    path("team/services/", teams.save_service, name="save_service"),
    path("team/services/<int:pk>/probe/", teams.probe_service, name="probe_service"),
    path("team/services/<int:pk>/remove/", teams.remove_service, name="remove_service"),
    path("team/hours/", teams.book, name="book"),
    path("team/hours/<int:pk>/give-back/", teams.give_back, name="give_back"),
    path("team/tokens/", teams.new_token, name="new_token"),
    path("team/tokens/<int:pk>/revoke/", teams.revoke_token, name="revoke_token"),
    path("team/submit/", teams.submit, name="submit"),
    path("submissions/<str:key>/", teams.submission, name="submission"),
    path("submissions/<str:key>/files/<str:name>", teams.record, name="record"),
    path("submissions/<str:key>/progress/", teams.progress, name="progress"),
    path("submissions/<str:key>/cancel/", teams.cancel, name="cancel"),
    path("submissions/<str:key>/choose/", teams.choose, name="choose"),
    path("submissions/<str:key>/appeal/", teams.appeal, name="appeal"),
    path("organiser/", organisers.home, name="organiser"),
    path("organiser/log/", organisers.log, name="log"),
    path("organiser/people/", organisers.people, name="people"),
    path("organiser/people/<int:pk>/link/", organisers.password_link, name="password_link"),
    path("organiser/people/<int:pk>/second/", organisers.lift, name="lift"),
    path("organiser/people/<int:pk>/export/", organisers.export, name="export_person"),
    path("organiser/people/<int:pk>/erase/", organisers.erase, name="erase_person"),
    path("organiser/teams/<int:pk>/", organisers.decide, name="decide"),
    path("organiser/teams/<int:pk>/role/", organisers.assign, name="assign"),
    path("organiser/appeals/<int:pk>/", organisers.judge, name="judge"),
    path("organiser/phases/<slug:phase>/close/", organisers.close, name="close"),
    path("organiser/phases/<slug:phase>/reveal/", organisers.reveal, name="reveal"),
    path("organiser/submissions/<str:key>/rerun/", organisers.rerun, name="rerun"),
    path("organiser/submissions/<str:key>/void/", organisers.void, name="void"),
]
